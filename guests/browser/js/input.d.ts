// The npm package `landfall`. Await `init` before calling the other functions.

/**
 * Loads the module from a URL, a response or its bytes, or by default from the file next
 * to this one. After the module has stopped, another call creates a new instance of the
 * module that was loaded first.
 */
export function init(
  module?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/**
 * Renders the manifests.
 *
 * Like all functions below, it throws
 * - a `TypeError` with the message `landfall does not take this input: …` if the input
 *   does not match these types, for example because of an unknown key or a string with an
 *   unpaired surrogate. The module is not stopped;
 * - an error named `LandfallStopped` if the module has stopped, for example because it is
 *   out of memory: call `init` again.
 */
export function render(input: Input): Rendered;

/** Reports diagnostics without rendering. */
export function check(input: Input): Findings;

/** Renders the manifests and returns every substitution. */
export function explain(input: Input): Explanation;

/**
 * Returns completions at an offset of a manifest, best first: names after `${` and `.`,
 * and after `|` functions that take the type of the value.
 *
 * `manifest` is an index into `input.manifests`. `offset` is in UTF-16 code units, and at
 * most the length of that document. Other values cause a `TypeError`.
 */
export function complete(input: Input, at: { manifest: number; offset: number }): Completion[];

/**
 * Returns what the name at an offset of a manifest means: a binding, an output or something
 * in its value, or a function. `null` outside references and for names that do not exist.
 * The values of sensitive outputs are replaced with `(sensitive)`.
 *
 * The position is like that of `complete`.
 */
export function hover(input: Input, at: { manifest: number; offset: number }): Hover | null;

/**
 * Returns where the name at an offset of a manifest is defined: an output in its document,
 * or the last document of a binding. `null` outside references, for functions and for names
 * that do not exist.
 *
 * The position is like that of `complete`.
 */
export function definition(input: Input, at: { manifest: number; offset: number }): Definition | null;

/** Returns the version of landfall and the SHA-256 of its module in lowercase hexadecimal. */
export function version(): { version: string; digest: string };

/**
 * Redacts an outputs document, so that it can be shown to others: replaces the value of
 * each sensitive output with another one of the same type, `"(sensitive)"` for a string.
 * What is bound to it renders as before.
 *
 * Keys inside a sensitive value may be secrets as well. They are removed, except for those
 * that one of `manifests` contains.
 *
 * Pass the Binding if there is one: it may declare outputs sensitive that the document does
 * not mark. Pass the other documents as `outputs` if several are bound to one name: an output
 * that one of them marks is sensitive in all.
 *
 * Returns `null` if it cannot tell which values are sensitive, because no format reads the
 * document, or because of an error in the Binding: `check` reports why. Never show such a
 * document.
 */
export function redact(
  document: OutputsDocument,
  options?: { manifests?: Document[]; outputs?: OutputsDocument[]; binding?: Document },
): Redacted | null;

/**
 * Returns what is in each of these documents: whether it is an outputs document, a state or a
 * plan rather than a manifest, the resources with secrets in plain text, and what would be a
 * reference in another dialect.
 */
export function classify(documents: Document[]): Classified[];

/** One document. */
export type Document = {
  /** Shown in diagnostics. Never opened. */
  path: string;
  /** The unmodified content, including a byte order mark and carriage returns. */
  content: string | Uint8Array;
};

/** An outputs document with the name to which it is bound. */
export type OutputsDocument = {
  /** Shown in diagnostics. Never opened. */
  path: string;
  /** The unmodified content. */
  content: string | Uint8Array;
  /**
   * The bound name: `infra` in `${infra.vpc_id}`. Several documents may share a name;
   * outputs of later documents override those of earlier ones.
   */
  name: string;
  /** The id of the format, such as `terraform`. By default, what the Binding declares, or detected from the content. */
  format?: string;
  /** Whether every output in it is sensitive. */
  sensitive?: boolean;
};

/** The input of a render. Equal inputs give equal results. */
export type Input = {
  /** The source manifests. */
  manifests: Array<Document>;
  /** The bound outputs documents. */
  outputs: Array<OutputsDocument>;
  /**
   * The Binding, `landfall.yaml`. The documents in its `spec.outputs` are not opened:
   * pass them in `outputs`.
   */
  binding?: Document;
  /**
   * Policies that override the Binding: keys of `spec.policy`, such as
   * `{unused: "ignore"}`.
   */
  policy?: Record<string, unknown>;
  /** Whether every document must be a Kubernetes resource. */
  resourcesOnly?: boolean;
  /** Whether to update only setter comments and leave references unchanged. */
  keepReferences?: boolean;
};
