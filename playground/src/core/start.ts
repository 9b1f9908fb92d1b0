/** Fetches and compiles the module once, and starts workers with it. */
import moduleUrl from "landfall/landfall_bg.wasm?url";
import type { Port, Start } from "./queue";
import type { FromWorker } from "./protocol";

const fresh = () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

let compiled: Promise<WebAssembly.Module> | undefined;
const spares = new Set<Worker>();

/** How often work can be stopped while there is no network. */
const SPARES = 2;

/** Not compiled while it streams: static hosts do not all know the media type of a module. */
async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Has more workers at hand, their script loaded, for the time when the one that works
 * has to be stopped: then that needs no network.
 */
export function keepSpares(): void {
  while (spares.size < SPARES) {
    const worker = fresh();
    worker.onerror = () => spares.delete(worker);
    spares.add(worker);
  }
}

export const start: Start = (told) => {
  const [spare] = spares;
  const worker = spare ?? fresh();
  spares.delete(worker);
  compiled ??= compile();
  compiled.then(
    (module) => worker.postMessage({ start: module }),
    (error: unknown) => {
      // The next attempt may find the network again.
      compiled = undefined;
      const message = error instanceof Error ? error.message : String(error);
      told({ failed: { name: "Error", message } });
    },
  );
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => told(data);
  worker.onerror = (event) => {
    told({ failed: { name: "Error", message: event.message || "the worker could not be loaded" } });
  };
  const port: Port = {
    post: (request) => worker.postMessage(request),
    end: () => worker.terminate(),
  };
  return port;
};
