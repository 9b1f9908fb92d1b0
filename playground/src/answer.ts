/** Answers of the core, together with the documents that they refer to. */
import type { Edit, Explanation, Findings, Origin, Rendered, Severity, Substitution } from "landfall";
import type { InputRefs, DocumentRef } from "./core/protocol";
import { isBinding, type Doc, type Side, type Workspace } from "./state";

/** The documents of a request, in the order in which they were sent. */
export interface Snapshot {
  manifests: Doc[];
  outputs: Doc[];
  binding: Doc | undefined;
  /** Revisions at the time of the request. */
  revisions: Map<Doc, number>;
}

/** A result whose substitutions may not be known yet. */
export interface Result {
  snapshot: Snapshot;
  explanation: Rendered;
  substitutions?: Substitution[];
  /** `false`: reporting them took too long, and none are listed. */
  areKnown?: boolean;
}

export interface Answer extends Result {
  explanation: Explanation;
  substitutions: Substitution[];
}

const reference = ({ key, path }: Doc): DocumentRef => ({ key, path });

/** Returns a text that is the same for equal states of documents. */
export const stateOf = (docs: Doc[]): string =>
  JSON.stringify(docs.map(({ key, revision, path, name, sensitive, format }) => [key, revision, path, name, sensitive, format]));

/** Builds the request for what must not leave the page: one redaction for each outputs document, also for empty ones. */
export function secretsOf(workspace: Workspace): { input: InputRefs; manifests: DocumentRef[] } {
  const { input } = inputOf(workspace, workspace.of("outputs"));
  return { input, manifests: workspace.of("manifests").map(reference) };
}

/** Builds the input for a request, and the snapshot that ties its answer to the documents. A document that is still empty is no invalid one. */
export function inputOf(
  workspace: Workspace,
  outputs = workspace.boundOutputs(),
): { snapshot: Snapshot; input: InputRefs } {
  const binding = workspace.binding();
  const manifests = workspace.of("manifests").filter((doc) => !isBinding(doc));
  return {
    snapshot: {
      manifests,
      outputs,
      binding,
      revisions: new Map(workspace.docs.map((doc) => [doc, doc.revision])),
    },
    input: {
      manifests: manifests.map(reference),
      outputs: outputs.map((doc) => ({
        ...reference(doc),
        name: doc.name,
        sensitive: doc.sensitive,
        ...(doc.format && { format: doc.format }),
      })),
      resourcesOnly: workspace.resourcesOnly ?? binding !== undefined,
      ...(binding && { binding: reference(binding) }),
    },
  };
}

/** Returns how long the manifests of a request are together, in characters. */
export const lengthOf = ({ manifests }: Snapshot): number => manifests.reduce((sum, { text }) => sum + text.length, 0);

/** Returns the document that a label points into. */
export function docOf(snapshot: Snapshot, origin: Origin): Doc | undefined {
  if (origin === "binding") return snapshot.binding;
  if (typeof origin !== "object") return undefined;
  return "manifest" in origin ? snapshot.manifests[origin.manifest] : snapshot.outputs[origin.outputs];
}

/** Returns the manifest with the reference of a substitution, and the document that defines its value. */
export const docsOf = (snapshot: Snapshot, { file, document }: Substitution): Record<Side, Doc | undefined> => ({
  manifests: snapshot.manifests[file],
  outputs: document === undefined ? undefined : snapshot.outputs[document],
});

/** What is shown in place of the value of a sensitive output. */
export const COVER = "••••••••";

/** Returns the cells of a substitution's row in the table, by their class. */
export function cellsOf(snapshot: Snapshot, one: Substitution): Record<"location" | "field" | "output" | "type" | "value-cell" | "from", string> {
  const { manifests: manifest, outputs } = docsOf(snapshot, one);
  const { line, column } = one.source.start;
  const resource = one.resource ? `${one.resource.kind}/${one.resource.name} ` : "";
  const value = one.sensitive ? "(sensitive)" : one.value;
  return {
    location: `${manifest?.path ?? ""}:${line}:${column}`,
    field: resource + one.field,
    output: one.output,
    type: one.type,
    "value-cell": one.dollarsDoubled ? `${value}  ($ doubled)` : value,
    from: outputs && one.definition ? `${outputs.path}:${one.definition.start.line}` : "(default)",
  };
}

/** Converts edits of the core to changes of a document. */
export const changesOf = (edits: Edit[]): { from: number; to: number; text: string }[] =>
  edits.map(({ range, text }) => ({ from: range.start.offset, to: range.end.offset, text }));

/** Returns whether a document is unchanged since the request. */
export const isCurrent = (snapshot: Snapshot, doc: Doc): boolean => snapshot.revisions.get(doc) === doc.revision;

/** Formats `1234` as `1,234`. */
export const formatCount = (count: number): string => count.toLocaleString("en");

export const pluralize = (count: number, word: string): string => `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;

const SEVERITIES = ["error", "warning", "note"] as const;

/** Counts all problems, including those that the core omitted. */
export function problemCounts({ diagnostics, omitted }: Findings): Record<Severity, number> {
  const counts = { error: omitted.errors, warning: omitted.warnings, note: omitted.notes };
  for (const { severity } of diagnostics) counts[severity] += 1;
  return counts;
}

/** Returns `2 errors, 1 warning`; with `more ` as prefix, `2 more errors, 1 more warning`. */
export function summary(counts: Record<Severity, number>, more = ""): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => pluralize(counts[severity], more + severity)).join(", ") || "no problems";
}
