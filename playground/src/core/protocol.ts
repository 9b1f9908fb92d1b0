/**
 * The messages between the page and the worker. Documents are sent under a key, and only
 * if they changed: typing in a small manifest does not copy a large one again.
 */
import type { Classified, Completion, Explanation, Hover, Redacted, Rendered } from "landfall";

/** Refers to a document that was sent to the worker. */
export interface DocumentRef {
  key: number;
  path: string;
  /** For outputs documents: the binding name that references use. */
  name?: string;
  sensitive?: boolean;
  format?: string;
}

/** The package's `Input` with keys in place of contents. */
export interface InputRefs {
  manifests: DocumentRef[];
  outputs: DocumentRef[];
  binding?: DocumentRef;
  resourcesOnly: boolean;
}

export type Task =
  | { kind: "render"; input: InputRefs }
  | { kind: "explain"; input: InputRefs }
  /** What of the workspace must not leave the page; `keep`: the same, once nothing else waits. */
  | { kind: "redact" | "keep"; input: InputRefs; manifests: DocumentRef[] }
  /** With their contents, because the files need not be documents of the workspace. */
  | { kind: "classify"; files: { path: string; content: string }[] }
  /** What `${name.` is completed with, for each outputs document. */
  | { kind: "names"; input: InputRefs }
  | { kind: "complete"; input: InputRefs; at: { manifest: number; offset: number } }
  | { kind: "hover"; input: InputRefs; at: Asked };

/** A position in a manifest, or in a reference on its own. */
export type Asked = { manifest: number; offset: number } | { reference: string; offset: number };

/** What the core says about the secrets of a workspace. */
export interface Sensitivity {
  /** One for each outputs document; `null` if it cannot be redacted. */
  redacted: (Redacted | null)[];
  /** One for each manifest, the Binding among them. */
  classified: Classified[];
}

export interface Answers {
  render: Rendered;
  explain: Explanation;
  redact: Sensitivity;
  keep: Sensitivity;
  /** One for each file. */
  classify: Classified[];
  names: Completion[][];
  complete: Completion[];
  hover: Hover | null;
}

export interface Request {
  id: number;
  put: { key: number; content: string }[];
  /** Keys of documents that the worker can drop. */
  forget: number[];
  task: Task;
}

export interface Version {
  version: string;
  digest: string;
}

export type ToWorker = { start: WebAssembly.Module } | Request;

export type FromWorker =
  | { ready: Version }
  | { id: number; value: unknown }
  /** `id` is missing if the module did not start. */
  | { id?: number; failed: { name: string; message: string } };
