/**
 * What the page and the worker say to each other. Documents cross once, under a
 * key, and only when they changed: typing in a small manifest does not copy a
 * large one again.
 */
import type { Completion, Explanation } from "landfall";

/** A document that the worker holds. */
export interface Held {
  key: number;
  path: string;
  /** For outputs documents: the name that references use. */
  name?: string;
  sensitive?: boolean;
}

/** `Input` of the package, with keys in the place of contents. */
export interface HeldInput {
  manifests: Held[];
  outputs: Held[];
  binding?: Held;
  resourcesOnly: boolean;
}

export type Task =
  | { kind: "explain"; input: HeldInput }
  | { kind: "complete"; input: HeldInput; at: { manifest: number; offset: number } };

export interface Answers {
  explain: Explanation;
  complete: Completion[];
}

export interface Request {
  id: number;
  put: { key: number; content: string }[];
  /** Keys that nothing refers to any more. */
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
  /** `id` is missing when the module did not start. */
  | { id?: number; failed: { name: string; message: string } };
