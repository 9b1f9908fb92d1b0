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

/** A position in a document. */
export type Position = {
  /** From 1. Lines end with `\n`, `\r\n` or `\r`. */
  line: number;
  /** From 1, in UTF-16 code units, like editors in a browser. */
  column: number;
  /** From 0, in UTF-16 code units of the whole text, counting a byte order mark. */
  offset: number;
};

/** A half-open range of a document. */
export type Range = {
  /** The position of the first code unit. */
  start: Position;
  /** The position after the last code unit; equal to `start` if the range is empty. */
  end: Position;
};

/** A document of the input: manifests and outputs by their index. */
export type Origin = { "manifest": number } | { "outputs": number } | "binding" | "operatorPolicy" | "parameters" | "policy";

/** A location with a message. */
export type Label = {
  /** The document. */
  origin: Origin;
  /** The range in the document. */
  range: Range;
  /** May be empty. */
  message: string;
  /**
   * Whether to show only the range itself, because the rest of its lines may contain a
   * secret or the value of an output.
   */
  conceal: boolean;
};

/** A replacement of a range. */
export type Edit = {
  /** The range in the document before any edits. */
  range: Range;
  /** The new text. */
  text: string;
};

/** A change that fixes a problem. */
export type Fix = {
  /** Describes the change, in the imperative. */
  title: string;
  /** The document to change. */
  origin: Origin;
  /** In ascending order and disjoint. */
  edits: Array<Edit>;
};

/** A Kubernetes resource. Strings are empty if the manifest does not have the field. */
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

/** The severity of a diagnostic. */
export type Severity = "error" | "warning" | "note";

/** A problem, its location, and how to fix it. */
export type Diagnostic = {
  /** The rule: `unknown-output`. */
  rule: string;
  /** If there is an error, nothing is rendered. */
  severity: Severity;
  /** One sentence without a full stop and without values of sensitive outputs. */
  message: string;
  /** The locations. The first is the primary one. */
  labels: Array<Label>;
  /** How to fix it. */
  help?: string;
  /** Changes that fix it, best first. */
  fixes: Array<Fix>;
  /** The resource that contains the primary location. */
  resource?: Resource;
  /** The path of the field in that resource: `spec.template.spec`. */
  field?: string;
};

/** Counts by severity. */
export type Counts = {
  /** The number of errors. */
  errors: number;
  /** The number of warnings. */
  warnings: number;
  /** The number of notes. */
  notes: number;
};

/** The result of a check. */
export type Findings = {
  /** At most 1,000 diagnostics, in the order of the documents. */
  diagnostics: Array<Diagnostic>;
  /** The number of other diagnostics. Warnings and notes are omitted before errors. */
  omitted: Counts;
};

/** A rendered manifest. */
export type RenderedFile = {
  /** The path of the manifest. */
  path: string;
  /** The source with references replaced by values; all other bytes are unchanged. */
  content: string;
  /** Whether it differs from the source. */
  changed: boolean;
};

/** The result of a render. */
export type Rendered = {
  /** One for each manifest, in the same order. Absent if there are errors. */
  files?: Array<RenderedFile>;
  /** At most 1,000 diagnostics, in the order of the documents. */
  diagnostics: Array<Diagnostic>;
  /** The number of other diagnostics. Warnings and notes are omitted before errors. */
  omitted: Counts;
};

/** One reference that was replaced by a value. */
export type Substitution = {
  /** Index into `manifests`. */
  file: number;
  /**
   * The reference in the source; for setter comments and field bindings, the value that
   * is set.
   */
  source: Range;
  /** The value in the rendered file. */
  result: Range;
  /** The reference as written, on one line. */
  reference: string;
  /** The name of the output: `infra.vpc_id`. */
  output: string;
  /** Index into `outputs`. Absent if the output is missing and a default was used. */
  document?: number;
  /** The location of the output's name in that document. */
  definition?: Range;
  /**
   * The type of the value in Terraform's terms: `string`, `number`, `bool`, `list`,
   * `object`, `null`.
   */
  type: string;
  /** The value as text or as JSON; `(sensitive)` for a sensitive output. */
  value: string;
  /** Whether the output is sensitive. */
  sensitive: boolean;
  /**
   * Whether each `$` of the value was doubled, because `$` is expanded downstream in this
   * field.
   */
  dollarsDoubled: boolean;
  /** The resource that contains the reference. */
  resource?: Resource;
  /** The path of the field in that resource. */
  field: string;
};

/** A bound output that nothing uses. */
export type UnusedOutput = {
  /** The name of the output: `infra.zone_id`. */
  output: string;
  /** Index into `outputs`. */
  document: number;
  /** The location of the output's name in that document. */
  definition: Range;
};

/** The result of a render with the origin of each value. */
export type Explanation = {
  /** One for each manifest, in the same order. Absent if there are errors. */
  files?: Array<RenderedFile>;
  /** At most 1,000 diagnostics, in the order of the documents. */
  diagnostics: Array<Diagnostic>;
  /** The number of other diagnostics. Warnings and notes are omitted before errors. */
  omitted: Counts;
  /** Every substitution, sorted by file and position. Absent if there are errors. */
  substitutions?: Array<Substitution>;
  /** Bound outputs that nothing uses, sorted by name. Absent if there are errors. */
  unused?: Array<UnusedOutput>;
};

/** The kind of a name. */
export type CompletionKind = "binding" | "output" | "key" | "function";

/** A completion. */
export type Completion = {
  /** The name. */
  label: string;
  /** The kind of the name. */
  kind: CompletionKind;
  /** The type of an output or key, but never its value, or the description of a function. */
  detail: string;
  /** The text that replaces `range`. */
  insert: string;
  /** The range to replace in the manifest. */
  range: Range;
};

/** What a name in a reference means. */
export type Hover = {
  /** The range of the name in the manifest. */
  range: Range;
  /** The kind of the name; `output` for keys as well. */
  kind: CompletionKind;
  /** `infra`, `infra.tags.team` or `join(separator)`. */
  label: string;
  /** How many outputs a binding has, the type of an output, or what a function does. */
  detail: string;
  /** The value of an output as text or as JSON; `(sensitive)` for a sensitive output. */
  value?: string;
  /** Whether the output is sensitive. */
  sensitive?: boolean;
  /** Index into `outputs`. */
  document?: number;
  /** The location of the output's name in that document. */
  definition?: Range;
};

/** Where a name in a reference is defined. */
export type Definition = {
  /** The range of the name in the manifest. */
  range: Range;
  /** Index into `outputs`. */
  document: number;
  /**
   * The location of the output's name in that document, or the beginning of the document
   * for the name of a binding.
   */
  target: Range;
};

/** An outputs document without the values of its sensitive outputs. */
export type Redacted = {
  /** The document. Everything else is unchanged. */
  content: string;
  /** The names of the sensitive outputs, in the order of the document. */
  outputs: Array<string>;
  /**
   * What was replaced, in the document before: the values of the sensitive outputs, and their
   * keys that no manifest contains.
   */
  replaced: Array<Range>;
};

/** What is in a file. */
export type Classified = {
  /** Whether it is an outputs document, a state or a plan, and not a manifest. */
  isOutputs: boolean;
  /**
   * The resources with secrets in plain text: Secrets whose data is not only references,
   * and Bindings that declare outputs sensitive and have values `inline`. Their fields are
   * empty for a document that may be one of them and is not YAML.
   */
  secrets: Array<Resource>;
  /** What would be a reference in another dialect than landfall's own, the first of each. */
  otherDialects: Array<OtherDialect>;
};

/** A text that would be a reference in another dialect, and may be meant as one. */
export type OtherDialect = {
  /** The dialect's id, as in `spec.dialect`. */
  dialect: string;
  /** At most 80 characters: `${vpc_id}`. */
  reference: string;
};

/** The hard-coded values of manifests that equal outputs. */
export type Adopted = {
  /**
   * The edits of each manifest that write references in their place. The edited manifests
   * render to the same bytes. Absent if there are errors.
   */
  edits?: Array<Array<Edit>>;
  /** In the order of the manifests. */
  values: Array<HardCoded>;
  /** The errors with the manifests as they are. */
  diagnostics: Array<Diagnostic>;
  /** The number of other errors. */
  omitted: Counts;
};

/** A hard-coded value that equals an output. */
export type HardCoded = {
  /** Index into `manifests`. */
  file: number;
  /** The value; only the start of its line if it equals a sensitive output and is not replaced. */
  range: Range;
  /** The first 16 outputs that it equals or, if they are sensitive, contains: `infra.vpc_id`. */
  outputs: Array<string>;
  /** What is done about it. */
  outcome: AdoptionOutcome;
  /** Whether its line must not be shown. */
  conceal: boolean;
};

/**
 * What is done about a hard-coded value: `adopted`, a reference replaces it; `ambiguous`, several
 * outputs have it; `sensitive`, it contains a sensitive value outside of `stringData`;
 * `notAdoptable`, the bytes would differ; `unquoted`, in a flow collection; `otherTool`, another
 * tool reads the file.
 */
export type AdoptionOutcome = "adopted" | "ambiguous" | "sensitive" | "notAdoptable" | "unquoted" | "otherTool";

/** The migration of manifests to landfall's own dialect. */
export type Migrated = {
  /**
   * The edits of each manifest. The edited manifests render to the same documents. Absent if
   * anything is left: in the other dialect it is a reference, and in landfall's own it may be
   * text.
   */
  edits?: Array<Array<Rewritten>>;
  /** The edits of the Binding: its manifests are no longer in the other dialect. */
  binding: Array<Edit>;
  /** The errors, or a warning about everything that is left. */
  diagnostics: Array<Diagnostic>;
  /** The number of other diagnostics. */
  omitted: Counts;
};

/** A reference, or a value with a setter, that is rewritten. */
export type Rewritten = {
  /** The range in the manifest before any edits. */
  range: Range;
  /** The new text. */
  text: string;
  /**
   * Whether its line must not be shown, because its document contains the value of a sensitive
   * output or may be a Secret.
   */
  conceal: boolean;
};

/** The Applications of ApplicationSets. */
export type Applications = {
  /** In the order of the ApplicationSets and of their generators. Absent if there are errors. */
  applications?: Array<GeneratedApplication>;
  /**
   * Errors or warnings. The origin of a cluster's Secret is `outputs`: its position among the
   * files with clusters.
   */
  diagnostics: Array<Diagnostic>;
  /** The number of other diagnostics. */
  omitted: Counts;
};

/** An Application of an ApplicationSet. */
export type GeneratedApplication = {
  /** `metadata.name` */
  name: string;
  /** `metadata.namespace`, or an empty string. */
  namespace: string;
  /** The name of its ApplicationSet. */
  set: string;
  /** The manifest, a YAML document. */
  content: string;
};

/** The contract that the outputs satisfy. */
export type Contract = {
  /** Absent if there are errors. */
  content?: string;
  /** The errors. */
  diagnostics: Array<Diagnostic>;
  /** The number of other errors. */
  omitted: Counts;
};

/** Outputs documents with placeholder values. */
export type Samples = {
  /** One for each bound name of the contract. Absent if there are errors. */
  documents?: Array<SampleDocument>;
  /** The errors. */
  diagnostics: Array<Diagnostic>;
  /** The number of other errors. */
  omitted: Counts;
};

/** An outputs document with placeholder values. */
export type SampleDocument = {
  /** The bound name. */
  name: string;
  /** The document. */
  content: string;
};

/** What changes in the manifests with other outputs. */
export type Compared = {
  /** The outputs that the manifests render with. */
  renders: Renders;
  /**
   * Changed values, in the order of files and locations. Empty unless they render with the new
   * outputs.
   */
  changes: Array<ValueChange>;
  /** Changes that are not the change of one value. */
  otherChanges: Array<OtherChange>;
};

/** The outputs that manifests render with. */
export type Renders = "both" | "old" | "new" | "neither";

/** A reference whose value changes. */
export type ValueChange = {
  /** Index into `manifests`. */
  file: number;
  /** The reference in the source. */
  source: Range;
  /** The resource that contains the reference. */
  resource?: Resource;
  /** The path of the field in that resource. */
  field: string;
  /** The name of the output: `infra.vpc_id`. */
  output: string;
  /** The reference as written, on one line. */
  reference: string;
  /** Whether the output is sensitive in the old or in the new outputs. */
  sensitive: boolean;
  /** The old value; absent if the reference was not replaced. */
  from?: ChangedValue;
  /** The new value; absent if the reference is not replaced. */
  to?: ChangedValue;
};

/** Rendered text that changes without the change of a value in it. */
export type OtherChange = {
  /** Index into `manifests`. */
  file: number;
  /** The start of the change in the source. */
  source: Range;
  /** The old text; absent if it may be secret. */
  from?: string;
  /** The new text; absent if it may be secret. */
  to?: string;
};

/** The value of a reference with one of the outputs. */
export type ChangedValue = {
  /** The type of the value in Terraform's terms; `unknown` before an apply. */
  type: string;
  /** The value as text or as JSON; `(sensitive)` for a sensitive output. */
  value: string;
  /** The rendered text, if the same value is rendered differently. */
  rendered?: string;
};
