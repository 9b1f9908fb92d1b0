/** Tooltips that explain what is under the mouse or, after a key, at the cursor. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { Queue } from "../core/queue";
import type { Provenance } from "../provenance";
import type { Doc, Side, Workspace } from "../state";
import type { Covers } from "./covers";
import { explain } from "./explain";
import type { Marks } from "./marks";
import { severitiesAt } from "./squiggles";

export type Pane = Side | "result";

/** What explanations are made of. */
export interface Explainer {
  provenance: Provenance;
  workspace: Workspace;
  queue: Queue;
  covers: Covers;
  marks: (pane: Pane) => Marks;
  jump: (doc: Doc, offset: number) => void;
}

const setTooltip = StateEffect.define<Tooltip | null>();

const atCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(setTooltip)) return effect.value;
    return docChanged || selection ? null : before;
  },
  provide: (self) => showTooltip.from(self),
});

export function hover(explainer: Explainer, pane: Pane): Extension {
  const tooltip = async (view: EditorView, pos: number): Promise<Tooltip | null> => {
    // The tooltip of the problem says it.
    if (severitiesAt(view.state, pos).includes("error")) return null;
    const { state } = view;
    const dom = await explain(explainer, pane, view, pos);
    return dom && view.state.doc === state.doc ? { pos, above: true, create: () => ({ dom }) } : null;
  };
  const open = async (view: EditorView) => {
    const { state } = view;
    // The result has no cursor for the keyboard.
    const lit = pane === "result" ? [...explainer.marks(pane).litRanges(state).values()][0] : undefined;
    const found = await tooltip(view, lit?.from ?? state.selection.main.head);
    const leave = ({ relatedTarget }: FocusEvent) => !view.dom.contains(relatedTarget as Node | null) && close(view);
    found?.create(view).dom.addEventListener("focusout", leave);
    if (found && view.state.selection.eq(state.selection)) view.dispatch({ effects: setTooltip.of(found) });
  };
  const close = (view: EditorView): boolean => {
    const isOpen = view.state.field(atCursor) !== null;
    if (isOpen) view.dispatch({ effects: setTooltip.of(null) });
    return isOpen;
  };
  return [
    atCursor,
    hoverTooltip(tooltip, { hideOnChange: true }),
    EditorView.domEventHandlers({ blur: ({ relatedTarget }, view) => !view.dom.contains(relatedTarget as Node | null) && close(view) && false }),
    keymap.of([
      { key: "Mod-i", run: (view) => (void open(view), true), preventDefault: true },
      { key: "Escape", run: close },
    ]),
  ];
}
