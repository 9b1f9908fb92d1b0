/** Runs the tools, which are in a module of their own. */
import type { Adopted, Applications, Compared, Contract, Document, Input, Migrated, OutputsDocument, Samples } from "landfall";

/** What a tool does, with the documents themselves. */
export type ToolTask =
  | { kind: "adopt"; input: Input }
  | { kind: "migrate"; input: Input; dialect: string }
  | { kind: "expand"; manifests: Document[] }
  | { kind: "contract"; input: Input }
  | { kind: "sample"; contract: Document }
  | { kind: "compare"; input: Input; before: OutputsDocument[]; binding: Document | undefined };

export interface ToolAnswers {
  adopt: Adopted;
  migrate: Migrated;
  expand: Applications;
  contract: Contract;
  sample: Samples;
  compare: Compared;
}

export type FromTools = { value: unknown } | { failed: string };

/** The time limit of a tool with the download of its module, in milliseconds. */
const TIME_LIMIT = 60_000;

/**
 * Runs a tool in a worker of its own, which ends with it.
 *
 * @throws an error with a message for users if it does not answer
 */
export function runTool<T extends ToolTask>(task: T): Promise<ToolAnswers[T["kind"]]> {
  const worker = new Worker(new URL("./tools_worker.ts", import.meta.url), { type: "module" });
  return new Promise<ToolAnswers[T["kind"]]>((resolve, reject) => {
    const fail = (message: string) => reject(new Error(message));
    setTimeout(fail, TIME_LIMIT, `it took longer than ${TIME_LIMIT / 1000} seconds and was stopped`);
    worker.onerror = ({ message }) => fail(message || "its module could not be loaded");
    worker.onmessage = ({ data }: MessageEvent<FromTools>) =>
      "value" in data ? resolve(data.value as ToolAnswers[T["kind"]]) : fail(data.failed);
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
