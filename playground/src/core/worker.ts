/** The worker: keeps the documents and the module, and runs one task at a time. */
import { classify, complete, explain, hover, init, redact, render, version, type Input, type Classified, type Hover, type OutputsDocument, type Resource } from "landfall";
import type { Asked, FromWorker, InputRefs, DocumentRef, Task, ToWorker } from "./protocol";

const documents = new Map<number, string>();

/** A Secret in a file that the core cannot read. */
const UNKNOWN: Resource = { apiVersion: "", kind: "", name: "", namespace: "" };

const content = ({ key }: DocumentRef): string => documents.get(key) ?? "";

function input({ manifests, outputs, binding, resourcesOnly }: InputRefs): Input {
  return {
    manifests: manifests.map((one) => ({ path: one.path, content: content(one) })),
    outputs: outputs.map(
      (one): OutputsDocument => ({
        name: one.name ?? "infra",
        path: one.path,
        content: content(one),
        sensitive: one.sensitive ?? false,
        ...(one.format && { format: one.format }),
      }),
    ),
    resourcesOnly,
    ...(binding && { binding: { path: binding.path, content: content(binding) } }),
  };
}

function unlessRefused<T>(otherwise: T, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TypeError) return otherwise;
    throw error;
  }
}

/** Classifies a file. What cannot be encoded as UTF-8 may hold anything. */
const classified = (file: { path: string; content: string }): Classified =>
  unlessRefused({ isOutputs: false, secrets: [UNKNOWN], otherDialects: [] }, () => classify([file])[0]!);

/** Contents are sent when a task runs: a text may be shorter than when the task was submitted. */
const isInside = ({ manifests }: Input, at: { manifest: number; offset: number }): boolean =>
  at.offset <= (manifests[at.manifest]?.content.length ?? 0);

function hovered(now: Input, at: Asked): Hover | null {
  if ("reference" in at) return hover({ ...now, manifests: [{ path: "hover.yaml", content: at.reference }] }, { manifest: 0, offset: at.offset });
  return isInside(now, at) ? hover(now, at) : null;
}

function run(task: Task): unknown {
  switch (task.kind) {
    case "render":
      return render(input(task.input));
    case "explain":
      return explain(input(task.input));
    case "redact":
    case "keep": {
      const { outputs, binding } = input(task.input);
      const manifests = task.manifests.map((one) => ({ path: one.path, content: content(one) }));
      const redacted = outputs.map((one) => {
        const others = outputs.filter((other) => other !== one);
        // A document with an unpaired surrogate cannot be encoded as UTF-8.
        return unlessRefused(null, () => redact(one, { manifests, outputs: others, ...(binding && { binding }) }));
      });
      return { redacted, classified: manifests.map(classified) };
    }
    case "classify":
      return task.files.map(classified);
    case "names": {
      const { outputs } = input(task.input);
      return outputs.map(({ name }) => {
        const typed = `\${${name}.`;
        const manifests = [{ path: "starter.yaml", content: typed }];
        return complete({ manifests, outputs }, { manifest: 0, offset: typed.length });
      });
    }
    case "complete": {
      const now = input(task.input);
      return isInside(now, task.at) ? complete(now, task.at) : [];
    }
    case "hover":
      return hovered(input(task.input), task.at);
  }
}

function failed(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}

const send = (message: FromWorker) => self.postMessage(message);

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if ("start" in data) {
    try {
      await init(data.start);
      send({ ready: version() });
    } catch (error) {
      send({ failed: failed(error) });
    }
    return;
  }
  for (const { key, content } of data.put) documents.set(key, content);
  for (const key of data.forget) documents.delete(key);
  try {
    send({ id: data.id, value: run(data.task) });
  } catch (error) {
    send({ id: data.id, failed: failed(error) });
  }
};
