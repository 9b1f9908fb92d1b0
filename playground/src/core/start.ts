/** Fetches and compiles the module once and starts workers with it. */
import moduleUrl from "landfall/landfall_bg.wasm?url";
import type { Port, Start } from "./queue";
import type { FromWorker } from "./protocol";

const newWorker = () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

const spares = new Set<Worker>();

/** The number of spare workers, and so how often a task can be stopped while offline. */
const SPARES = 2;

/** Compiles the module during the download (as long as compiling it afterwards at 1.6 Mbit/s), or after it: not all static hosts send the media type that streaming needs. */
async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(moduleUrl);
  if (!response.ok) throw new Error(`the server returned ${response.status}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** The download takes longest: it begins before the editors are built. */
let compiled: Promise<WebAssembly.Module> | undefined = compile();
// `start` reports a failure.
compiled.catch(() => {});

/**
 * Starts spare workers, which load their script in advance, so that replacing a terminated
 * worker needs no network.
 */
export function keepSpares(): void {
  while (spares.size < SPARES) {
    const worker = newWorker();
    worker.onerror = () => spares.delete(worker);
    spares.add(worker);
  }
}

export const start: Start = (onMessage) => {
  const [spare] = spares;
  const worker = spare ?? newWorker();
  spares.delete(worker);
  compiled ??= compile();
  compiled.then(
    (module) => worker.postMessage({ start: module }),
    (error: unknown) => {
      // The next attempt fetches the module again.
      compiled = undefined;
      const message = error instanceof Error ? error.message : String(error);
      onMessage({ failed: { name: "Error", message } });
    },
  );
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => onMessage(data);
  worker.onerror = (event) => {
    onMessage({ failed: { name: "Error", message: event.message || "the worker could not be loaded" } });
  };
  const port: Port = {
    post: (request) => worker.postMessage(request),
    terminate: () => worker.terminate(),
  };
  return port;
};
