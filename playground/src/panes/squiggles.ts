/**
 * Shows diagnostics as squiggles, at each label in the document that it points into. The
 * CSS classes are those of `@codemirror/lint`, whose gutter, panel and scheduling are not
 * needed here.
 */
import { StateEffect, StateField, type EditorState, type Extension, type Range } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  WidgetType,
  hoverTooltip,
  keymap,
  showTooltip,
  type Command,
  type DecorationSet,
  type Tooltip,
} from "@codemirror/view";
import type { Diagnostic, Label, Fix } from "landfall";
import { docOf, type Answer } from "../answer";
import { element, prose } from "../dom";
import { toEditor } from "../positions";
import type { Doc } from "../state";
import { lineBreakIn } from "./editor";

/** The maximum number of squiggles in an editor, because each needs a decoration. */
const MAX_SQUIGGLES = 1000;

export type ApplyFix = (fix: Fix) => void;

/** Messages and titles of fixes begin in lower case. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Squiggle {
  diagnostic: Diagnostic;
  label: Label;
  /** The first label is where the problem is; the others explain it. */
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

/** Marks a position between two characters. */
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

const lintSeverity = (severity: Diagnostic["severity"], isFirst: boolean): string =>
  !isFirst ? "hint" : severity === "note" ? "info" : severity;

/** Returns the effect that shows the diagnostics of an answer in a document. */
export function squiggles(answer: Answer, doc: Doc, state: EditorState): StateEffect<unknown> {
  const found: Range<Decoration>[] = [];
  const lineBreak = lineBreakIn(state);
  for (const diagnostic of answer.explanation.diagnostics) {
    for (const [nth, label] of diagnostic.labels.entries()) {
      if (found.length >= MAX_SQUIGGLES || docOf(answer.snapshot, label.origin) !== doc) continue;
      const squiggle: Squiggle = { diagnostic, label, isFirst: nth === 0 };
      const from = toEditor(state.doc, lineBreak, label.range.start.offset);
      const to = toEditor(state.doc, lineBreak, label.range.end.offset);
      const severity = lintSeverity(diagnostic.severity, squiggle.isFirst);
      found.push(
        from < to
          ? Decoration.mark({ class: `cm-lintRange cm-lintRange-${severity}`, squiggle }).range(from, to)
          : Decoration.widget({ widget: new Point(severity), squiggle, side: 1 }).range(from),
      );
    }
  }
  return setSquiggles.of(Decoration.set(found, true));
}

function tooltipContent({ diagnostic, label, isFirst }: Squiggle, fix: ApplyFix): HTMLElement {
  const { message, help, rule, severity, fixes } = diagnostic;
  const first = isFirst ? message : label.message || "see also";
  const second = isFirst ? label.message : message;
  const box = element(
    "div",
    { class: `cm-diagnostic cm-diagnostic-${lintSeverity(severity, isFirst)}` },
    ...[first, second, isFirst ? (help ?? "") : ""].filter(Boolean).map((text) => element("div", {}, ...prose(text))),
  );
  for (const [nth, one] of fixes.entries()) {
    const button = element("button", { type: "button", class: "fix" }, ...prose(one.title));
    button.addEventListener("click", () => fix(one));
    box.append(button);
    if (nth === 0) box.append(element("span", { class: "cm-diagnosticSource" }, " Alt+Enter at the cursor"));
  }
  box.append(element("div", { class: "cm-diagnosticSource" }, rule));
  return box;
}

/** Opens, replaces or closes the tooltip that a key or a tap opened. */
export const setTooltip = StateEffect.define<Tooltip | null>();

const openTooltip = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, { effects, docChanged, selection }) {
    for (const effect of effects) {
      if (effect.is(setTooltip)) return effect.value;
      if (effect.is(setSquiggles)) return null;
    }
    return docChanged || selection ? null : before;
  },
  provide: (self) => showTooltip.from(self),
});

export const closeTooltip: Command = (view) => {
  const isOpen = view.state.field(openTooltip) !== null;
  if (isOpen) view.dispatch({ effects: setTooltip.of(null) });
  return isOpen;
};

export const tooltipAtCursor: Extension = [openTooltip, keymap.of([{ key: "Escape", run: closeTooltip }])];

/** Calls `open` with the position of a tap; the mouse has its own tooltips. */
export function onTap(open: (view: EditorView, position: number) => void): Extension {
  let isFinger = false;
  return EditorView.domEventHandlers({
    pointerdown: ({ pointerType }) => void (isFinger = pointerType === "touch"),
    click: ({ clientX: x, clientY: y }, view) => {
      const position = isFinger ? view.posAtCoords({ x, y }) : null;
      if (position !== null) open(view, position);
    },
  });
}

/** Returns the squiggles between two positions, with their ranges. */
function squigglesBetween(state: EditorState, start: number, until: number): (Squiggle & { from: number; to: number })[] {
  const found: ReturnType<typeof squigglesBetween> = [];
  state.field(field).between(start, until, (from, to, { spec }) => {
    found.push({ ...(spec["squiggle"] as Squiggle), from, to });
  });
  return found;
}

/** Returns the severities of the problems at a position. */
export const severitiesAt = (state: EditorState, position: number): Diagnostic["severity"][] =>
  state.field(field, false) ? squigglesBetween(state, position, position).map(({ diagnostic }) => diagnostic.severity) : [];

/** Goes to the next problem in the document, or to the previous one. */
const go = (by: 1 | -1, tooltip: (state: EditorState, position: number) => Tooltip | null): Command => (view) => {
  const { state } = view;
  const { head } = state.selection.main;
  const starts = squigglesBetween(state, 0, state.doc.length).flatMap(({ from, isFirst }) => (isFirst ? [from] : []));
  const after = starts.findIndex((from) => (by > 0 ? from > head : from >= head));
  // After the last one, starts over with the first one.
  const at = by > 0 ? starts[Math.max(after, 0)] : starts.at(after < 0 ? -1 : after - 1);
  if (at !== undefined) view.dispatch({ selection: { anchor: at }, effects: setTooltip.of(tooltip(state, at)), scrollIntoView: true });
  return true;
};

export function squiggleExtension(fix: ApplyFix): Extension {
  const tooltip = (state: EditorState, position: number): Tooltip | null => {
    const all = squigglesBetween(state, position, position);
    // A problem with several labels here is shown once.
    const here = all.filter(({ diagnostic }, nth) => all.findIndex((one) => one.diagnostic === diagnostic) === nth);
    if (here.length === 0) return null;
    const pos = Math.min(position, ...here.map((one) => one.from));
    const end = Math.max(position, ...here.map((one) => one.to));
    const dom = () => element("div", { class: "cm-tooltip-lint" }, ...here.map((one) => tooltipContent(one, fix)));
    return { pos, end, above: true, create: () => ({ dom: dom() }) };
  };
  return [
    field,
    tooltipAtCursor,
    onTap((view, position) => view.dispatch({ effects: setTooltip.of(tooltip(view.state, position)) })),
    hoverTooltip((view, position) => tooltip(view.state, position), { hideOnChange: true }),
    keymap.of([
      { key: "F8", run: go(1, tooltip), shift: go(-1, tooltip) },
      {
        key: "Alt-Enter",
        run: ({ state }) => {
          const { head } = state.selection.main;
          const [first] = squigglesBetween(state, head, head).flatMap((one) => one.diagnostic.fixes);
          if (first) fix(first);
          return true;
        },
      },
    ]),
  ];
}
