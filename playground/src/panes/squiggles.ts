/**
 * Diagnostics of the core as squiggles: at every label, in the document it points
 * into. Classes are those of `@codemirror/lint`, whose gutter, panel and scheduling
 * are not needed here.
 */
import { StateEffect, StateField, type EditorState, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, hoverTooltip, type DecorationSet } from "@codemirror/view";
import type { Diagnostic, Label, Mend } from "landfall";
import { docOf, type Answer } from "../answer";
import { element } from "../dom";
import { toEditor } from "../positions";
import type { Doc } from "../state";
import { lineBreakIn } from "./editor";

/** More than anybody reads; each costs a mark in the editor. */
const MOST = 1000;

export type ApplyMend = (mend: Mend) => void;

interface Squiggle {
  diagnostic: Diagnostic;
  label: Label;
  /** The place where it is wrong; others explain it. */
  isFirst: boolean;
}

const setSquiggles = StateEffect.define<DecorationSet>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    for (const effect of transaction.effects) if (effect.is(setSquiggles)) return effect.value;
    return transaction.docChanged ? before.map(transaction.changes) : before;
  },
  provide: (self) => EditorView.decorations.from(self),
});

/** Something is wrong between two characters. */
class Point extends WidgetType {
  constructor(readonly severity: string) {
    super();
  }

  override eq(other: Point): boolean {
    return other.severity === this.severity;
  }

  toDOM(): HTMLElement {
    return element("span", { class: `cm-lintPoint cm-lintPoint-${this.severity}` });
  }
}

const shown = (severity: Diagnostic["severity"], isFirst: boolean): string =>
  !isFirst ? "hint" : severity === "note" ? "info" : severity;

/** The effect that shows what an answer has to say of a document. */
export function squiggles(answer: Answer, doc: Doc, state: EditorState): StateEffect<unknown> {
  const found: Range<Decoration>[] = [];
  const lineBreak = lineBreakIn(state);
  for (const diagnostic of answer.explanation.diagnostics) {
    for (const [nth, label] of diagnostic.labels.entries()) {
      if (found.length >= MOST || docOf(answer.asked, label.origin) !== doc) continue;
      const squiggle: Squiggle = { diagnostic, label, isFirst: nth === 0 };
      const from = toEditor(state.doc, lineBreak, label.range.start.offset);
      const to = toEditor(state.doc, lineBreak, label.range.end.offset);
      const severity = shown(diagnostic.severity, squiggle.isFirst);
      found.push(
        from < to
          ? Decoration.mark({ class: `cm-lintRange cm-lintRange-${severity}`, squiggle }).range(from, to)
          : Decoration.widget({ widget: new Point(severity), squiggle, side: 1 }).range(from),
      );
    }
  }
  return setSquiggles.of(Decoration.set(found, true));
}

function told({ diagnostic, label, isFirst }: Squiggle, mend: ApplyMend): HTMLElement {
  const { message, help, rule, severity, mends } = diagnostic;
  const first = isFirst ? message : label.message || "see also";
  const second = isFirst ? label.message : message;
  const box = element(
    "div",
    { class: `cm-diagnostic cm-diagnostic-${shown(severity, isFirst)}` },
    ...[first, second, isFirst ? (help ?? "") : ""].filter(Boolean).map((text) => element("div", {}, text)),
  );
  for (const one of mends) {
    const button = element("button", { type: "button", class: "mend" }, one.title);
    button.addEventListener("click", () => mend(one));
    box.append(button);
  }
  box.append(element("div", { class: "cm-diagnosticSource" }, rule));
  return box;
}

export function squiggling(mend: ApplyMend): Extension {
  return [
    field,
    hoverTooltip(
      (view, position) => {
        const here: Squiggle[] = [];
        let [pos, end] = [position, position];
        view.state.field(field).between(position, position, (from, to, { spec }) => {
          here.push(spec["squiggle"] as Squiggle);
          pos = Math.min(pos, from);
          end = Math.max(end, to);
        });
        if (here.length === 0) return null;
        const dom = () => element("div", { class: "cm-tooltip-lint" }, ...here.map((one) => told(one, mend)));
        return { pos, end, above: true, create: () => ({ dom: dom() }) };
      },
      { hideOnChange: true },
    ),
  ];
}
