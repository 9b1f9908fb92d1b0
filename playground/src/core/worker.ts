/** The worker: holds documents and the module, and does one task after the other. */
import { complete, explain, init, version, type Input } from "landfall";
import type { FromWorker, HeldInput, Held, Task, ToWorker } from "./protocol";

const documents = new Map<number, string>();

const content = (held: Held): string => documents.get(held.key) ?? "";

function input(held: HeldInput): Input {
  return {
    manifests: held.manifests.map((one) => ({ path: one.path, content: content(one) })),
    outputs: held.outputs.map((one) => ({
      name: one.name ?? "infra",
      path: one.path,
      content: content(one),
      sensitive: one.sensitive ?? false,
    })),
    resourcesOnly: held.resourcesOnly,
    ...(held.binding && { binding: { path: held.binding.path, content: content(held.binding) } }),
  };
}

function done(task: Task): unknown {
  switch (task.kind) {
    case "explain":
      return explain(input(task.input));
    case "complete": {
      const now = input(task.input);
      // Texts cross when their turn comes: this one may have become shorter since it was asked for.
      const length = now.manifests[task.at.manifest]?.content.length ?? 0;
      return task.at.offset > length ? [] : complete(now, task.at);
    }
  }
}

function failed(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}

const tell = (message: FromWorker) => self.postMessage(message);

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if ("start" in data) {
    try {
      await init(data.start);
      tell({ ready: version() });
    } catch (error) {
      tell({ failed: failed(error) });
    }
    return;
  }
  for (const { key, content } of data.put) documents.set(key, content);
  for (const key of data.forget) documents.delete(key);
  try {
    tell({ id: data.id, value: done(data.task) });
  } catch (error) {
    tell({ id: data.id, failed: failed(error) });
  }
};
