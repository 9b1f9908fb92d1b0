/** Tooltips that explain what is under the mouse or, after a key or a tap, at the cursor. */
import type { Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, type Tooltip } from "@codemirror/view";
import type { Queue } from "../core/queue";
import type { Provenance } from "../provenance";
import type { Doc, Side, Workspace } from "../state";
import type { Covers } from "./covers";
import { explain } from "./explain";
import type { Marks } from "./marks";
import { closeTooltip, onTap, setTooltip, severitiesAt, tooltipAtCursor } from "./squiggles";

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

export function hover(explainer: Explainer, pane: Pane): Extension {
  const tooltip = async (view: EditorView, pos: number): Promise<Tooltip | null> => {
    // The tooltip of the problem says it.
    if (severitiesAt(view.state, pos).includes("error")) return null;
    const { state } = view;
    const dom = await explain(explainer, pane, view, pos);
    return dom && view.state.doc === state.doc ? { pos, above: true, create: () => ({ dom }) } : null;
  };
  const open = async (view: EditorView, position: number) => {
    const { selection } = view.state;
    const found = await tooltip(view, position);
    found?.create(view).dom.addEventListener("focusout", (event) => leave(event, view));
    if (found && view.state.selection.eq(selection)) view.dispatch({ effects: setTooltip.of(found) });
  };
  const atCursor = (view: EditorView) => {
    // The result has no cursor for the keyboard.
    const lit = pane === "result" ? [...explainer.marks(pane).litRanges(view.state).values()][0] : undefined;
    void open(view, lit?.from ?? view.state.selection.main.head);
    return true;
  };
  const leave = ({ relatedTarget }: FocusEvent, view: EditorView) => {
    if (!view.dom.contains(relatedTarget as Node | null)) closeTooltip(view);
  };
  return [
    tooltipAtCursor,
    // A tap is a mouse that hovers, too, where there is none: it would show both.
    hoverTooltip((view, pos) => (matchMedia("(hover: hover)").matches ? tooltip(view, pos) : null), { hideOnChange: true }),
    // The tooltip of a problem says it.
    onTap((view, position) => severitiesAt(view.state, position).length === 0 && void open(view, position)),
    EditorView.domEventHandlers({ blur: leave }),
    keymap.of([{ key: "Mod-i", run: atCursor, preventDefault: true }]),
  ];
}
