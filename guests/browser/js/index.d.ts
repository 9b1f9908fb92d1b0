// The npm package `landfall`. `init` must have ended before the others are called.

/**
 * Loads the module: from a URL, a response, its bytes, or without an argument the file
 * beside this one. Called again after the module has stopped it makes a fresh instance
 * of what was loaded first.
 */
export function init(
  module?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/**
 * The rendered files.
 *
 * Like all functions below it throws
 * - a `TypeError` that says `landfall does not take this input: …` when the input is not
 *   what these types say: another type, a key that is not there, a string with half a
 *   surrogate pair. Nothing has stopped;
 * - an error named `LandfallStopped` when the module has stopped, as it does where the
 *   memory ends: call `init` again.
 */
export function render(input: Input): Rendered;

/** Diagnostics alone. */
export function check(input: Input): Findings;

/** The rendered files with every substitution. */
export function explain(input: Input): Explanation;

/**
 * What may stand at an offset (UTF-16 code units) of a manifest, best first: names behind
 * `${` and `.`, functions behind `|`.
 *
 * `manifest` is an index of `input.manifests`, `offset` at most the length of that
 * document: any other place is a `TypeError`.
 */
export function complete(input: Input, at: { manifest: number; offset: number }): Completion[];

/** The core's version and the SHA-256 of its module, in lowercase hexadecimal. */
export function version(): { version: string; digest: string };

/** One document. */
export type Document = {
  /** Shown in diagnostics; never opened. */
  path: string;
  /** As it is: a byte order mark and carriage returns included. */
  content: string | Uint8Array;
};

/** A document of infra outputs under the name that references use. */
export type OutputsDocument = {
  /** Shown in diagnostics; never opened. */
  path: string;
  /** As it is. */
  content: string | Uint8Array;
  /**
   * `infra` in `${infra.vpc_id}`. Several documents may share a name: later ones
   * win for each output.
   */
  name: string;
  /** A format's id, such as `terraform`; none: recognised by content. */
  format?: string;
  /** Every output in it is sensitive. */
  sensitive?: boolean;
};

/** What a render depends on. Equal inputs have equal answers. */
export type Input = {
  /** The source files. */
  manifests: Array<Document>;
  /** The bound outputs documents. */
  outputs: Array<OutputsDocument>;
  /**
   * `landfall.yaml`. The documents of its `spec.outputs` are not opened here: bind
   * them by name in `outputs`.
   */
  binding?: Document;
  /** Policies as flags: keys of `spec.policy`, such as `{unused: "ignore"}`. */
  policy?: Record<string, unknown>;
  /** Every document must be a Kubernetes resource. */
  resourcesOnly?: boolean;
  /** Render setter comments only: references stay as they are. */
  keepReferences?: boolean;
};

/** A place in a document. */
export type Position = {
  /** From 1. Lines end at `\n`, at `\r\n` and at a `\r` alone. */
  line: number;
  /** From 1, in UTF-16 code units, as editors in a browser count. */
  column: number;
  /** From 0, in UTF-16 code units of the whole text; a byte order mark is one. */
  offset: number;
};

/** A stretch of a document, half-open. */
export type Range = {
  /** The first unit. */
  start: Position;
  /** One past the last; equal to `start` for a point. */
  end: Position;
};

/**
 * The document that a place is in: manifests and outputs by their positions in the
 * input.
 */
export type Origin = { "manifest": number } | { "outputs": number } | "binding" | "operatorPolicy" | "parameters" | "policy";

/** A place with what is to be said of it. */
export type Label = {
  /** The document. */
  origin: Origin;
  /** The place in it. */
  range: Range;
  /** Said beside the place; may be empty. */
  message: string;
  /**
   * Show nothing of these lines but the range itself: a secret, or an output's
   * value, may stand around it.
   */
  conceal: boolean;
};

/** Replace a range by a text. */
export type Edit = {
  /** Of the document as it is, before any edit. */
  range: Range;
  /** What stands there afterwards. */
  text: string;
};

/** An exact change that fixes a finding. */
export type Fix = {
  /** What the change does, in the imperative. */
  title: string;
  /** The document that is changed. */
  origin: Origin;
  /** Ascending and disjoint. */
  edits: Array<Edit>;
};

/** A Kubernetes resource. Empty strings where the manifest does not say. */
export type Resource = {
  /** `apps/v1` */
  apiVersion: string;
  /** `Deployment` */
  kind: string;
  /** `metadata.name` */
  name: string;
  /** `metadata.namespace` */
  namespace: string;
};

/** How much a finding weighs. */
export type Severity = "error" | "warning" | "note";

/** One finding: what is wrong, where, and how to fix it. */
export type Diagnostic = {
  /** The rule that was broken: `unknown-output`. */
  rule: string;
  /** Errors leave nothing rendered. */
  severity: Severity;
  /** One sentence without a full stop, without any value of a sensitive output. */
  message: string;
  /** The places; the first is the primary one. */
  labels: Array<Label>;
  /** What to do about it. */
  help?: string;
  /** Changes that fix it, best first. */
  fixes: Array<Fix>;
  /** The resource that the primary place belongs to. */
  resource?: Resource;
  /** The path of the field in that resource: `spec.template.spec`. */
  field?: string;
};

/** A number for each severity. */
export type Counts = {
  /** Errors. */
  errors: number;
  /** Warnings. */
  warnings: number;
  /** Notes. */
  notes: number;
};

/** What a check reports. */
export type Findings = {
  /**
   * Everything that is to be reported, in the order of the documents; up to a
   * thousand.
   */
  diagnostics: Array<Diagnostic>;
  /**
   * How many more there were. An error is never left out because of a warning or a
   * note.
   */
  omitted: Counts;
};

/** A manifest with its values. */
export type RenderedFile = {
  /** The manifest's. */
  path: string;
  /** The source with the values in it; every other byte is as it was. */
  content: string;
  /** Whether it differs from the source. */
  changed: boolean;
};

/** A render. */
export type Rendered = {
  /** Absent when there are errors. One for each manifest, in their order. */
  files?: Array<RenderedFile>;
  /**
   * Everything that is to be reported, in the order of the documents; up to a
   * thousand.
   */
  diagnostics: Array<Diagnostic>;
  /**
   * How many more there were. An error is never left out because of a warning or a
   * note.
   */
  omitted: Counts;
};

/** One reference replaced by one value at one place. */
export type Substitution = {
  /** Position in `manifests`. */
  file: number;
  /**
   * The reference in the source; for setter comments and field bindings the value
   * that is set.
   */
  source: Range;
  /** What stands for it in the rendered file. */
  result: Range;
  /** The reference as it was written, on one line. */
  reference: string;
  /** The output that it names: `infra.vpc_id`. */
  output: string;
  /** Position in `outputs`; absent when a default answered for a missing output. */
  document?: number;
  /** The output's name in that document. */
  definition?: Range;
  /**
   * The value's type in Terraform's words: `string`, `number`, `bool`, `list`,
   * `object`, `null`.
   */
  type: string;
  /** The value as text or as JSON; `(sensitive)` for a sensitive output. */
  value: string;
  /** Whether the output is sensitive. */
  sensitive: boolean;
  /**
   * Each `$` of the value is written twice, because somebody downstream expands
   * them in this field: what arrives is the value.
   */
  dollarsDoubled: boolean;
  /** The resource that the place belongs to. */
  resource?: Resource;
  /** The path of the field in that resource. */
  field: string;
};

/** A bound output that no reference names. */
export type UnusedOutput = {
  /** `infra.zone_id` */
  output: string;
  /** Position in `outputs`. */
  document: number;
  /** Its name in that document. */
  definition: Range;
};

/** A render with what came from where. */
export type Explanation = {
  /** Absent when there are errors. One for each manifest, in their order. */
  files?: Array<RenderedFile>;
  /**
   * Everything that is to be reported, in the order of the documents; up to a
   * thousand.
   */
  diagnostics: Array<Diagnostic>;
  /**
   * How many more there were. An error is never left out because of a warning or a
   * note.
   */
  omitted: Counts;
  /**
   * Every reference with its value, in the order of files and places. Absent when
   * there are errors.
   */
  substitutions?: Array<Substitution>;
  /**
   * Bound outputs that no reference names, sorted by name. Absent when there are
   * errors.
   */
  unused?: Array<UnusedOutput>;
};

/** What a completion names. */
export type CompletionKind = "binding" | "output" | "key" | "function";

/** Something that may stand at a place of a manifest. */
export type Completion = {
  /** Its name. */
  label: string;
  /** What it is. */
  kind: CompletionKind;
  /** The type of an output or key, never a value; what a function takes and does. */
  detail: string;
  /** What is written in the place of `range`. */
  insert: string;
  /** In the manifest. */
  range: Range;
};
