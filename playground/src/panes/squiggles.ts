/** Diagnostics of the core as squiggles: at every label, in the document it points into. */
import { setDiagnostics, type Action, type Diagnostic as Squiggle } from "@codemirror/lint";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import type { Mend } from "landfall";
import { docOf, type Answer } from "../answer";
import { toEditor } from "../positions";
import type { Doc } from "../state";
import { lineBreakIn } from "./editor";

const SEVERITY = { error: "error", warning: "warning", note: "info" } as const;

/** More than anybody reads; each costs a mark in the editor. */
const MOST = 1000;

export type ApplyMend = (mend: Mend) => void;

export function squiggles(answer: Answer, doc: Doc, state: EditorState, mend: ApplyMend): TransactionSpec {
  const found: Squiggle[] = [];
  const lineBreak = lineBreakIn(state);
  for (const diagnostic of answer.explanation.diagnostics) {
    for (const [nth, label] of diagnostic.labels.entries()) {
      if (found.length >= MOST || docOf(answer.asked, label.origin) !== doc) continue;
      const isFirst = nth === 0;
      const from = toEditor(state.doc, lineBreak, label.range.start.offset);
      const to = toEditor(state.doc, lineBreak, label.range.end.offset);
      const actions: Action[] = diagnostic.mends.map((one) => ({ name: one.title, apply: () => mend(one) }));
      const said = isFirst ? diagnostic.message : `${label.message || "see also"} (${diagnostic.message})`;
      const more = isFirst
        ? [label.message, diagnostic.help].filter((text) => text && text !== said)
        : [];
      found.push({
        from,
        to: Math.max(from, to),
        severity: isFirst ? SEVERITY[diagnostic.severity] : "hint",
        source: diagnostic.rule,
        message: [said, ...more].join("\n"),
        actions,
      });
    }
  }
  return setDiagnostics(state, found);
}
