/** An answer of the core, tied to the documents that it speaks of. */
import type { Explanation, Findings, Origin, Severity, Substitution } from "landfall";
import type { HeldInput, Held } from "./core/protocol";
import { isBinding, type Doc, type Side, type Workspace } from "./state";

/** The documents of a request, in its order. */
export interface Asked {
  manifests: Doc[];
  outputs: Doc[];
  binding: Doc | undefined;
  /** Revisions at the time of asking. */
  revisions: Map<Doc, number>;
}

export interface Answer {
  asked: Asked;
  explanation: Explanation;
  substitutions: Substitution[];
}

export function ask(workspace: Workspace): { asked: Asked; input: HeldInput } {
  const binding = workspace.binding();
  const manifests = workspace.of("manifests").filter((doc) => !isBinding(doc));
  const outputs = workspace.of("outputs");
  const held = ({ key, path }: Doc): Held => ({ key, path });
  return {
    asked: {
      manifests,
      outputs,
      binding,
      revisions: new Map(workspace.docs.map((doc) => [doc, doc.revision])),
    },
    input: {
      manifests: manifests.map(held),
      outputs: outputs.map((doc) => ({ ...held(doc), name: doc.name, sensitive: doc.sensitive })),
      resourcesOnly: workspace.resourcesOnly ?? binding !== undefined,
      ...(binding && { binding: held(binding) }),
    },
  };
}

/** The document that a label points into. */
export function docOf(asked: Asked, origin: Origin): Doc | undefined {
  if (origin === "binding") return asked.binding;
  if (typeof origin !== "object") return undefined;
  return "manifest" in origin ? asked.manifests[origin.manifest] : asked.outputs[origin.outputs];
}

/** Where a substitution stands, and where its value is defined. */
export const docsOf = (asked: Asked, { file, document }: Substitution): Record<Side, Doc | undefined> => ({
  manifests: asked.manifests[file],
  outputs: document === undefined ? undefined : asked.outputs[document],
});

/** Whether a document still is what the answer speaks of. */
export const isCurrent = (asked: Asked, doc: Doc): boolean => asked.revisions.get(doc) === doc.revision;

/** `1,234` */
export const grouped = (count: number): string => count.toLocaleString("en");

export const counted = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

const SEVERITIES = ["error", "warning", "note"] as const;

/** How many problems there are, with those that the core counted and did not keep. */
export function problemCounts({ diagnostics, omitted }: Findings): Record<Severity, number> {
  const counts = { error: omitted.errors, warning: omitted.warnings, note: omitted.notes };
  for (const { severity } of diagnostics) counts[severity] += 1;
  return counts;
}

/** `2 errors, 1 warning`; with `more `, `2 more errors, 1 more warning`. */
export function summary(counts: Record<Severity, number>, more = ""): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => counted(counts[severity], more + severity)).join(", ") || "no problems";
}
