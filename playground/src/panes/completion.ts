/**
 * Completion in manifests: names after `${` and `.`, functions after `|`. The core finds
 * and filters them; this only shows the list, with the classes and roles of CodeMirror's
 * own list and a fifth of its size.
 */
import { Prec, StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, ViewPlugin, keymap, showTooltip, type Command, type Tooltip, type ViewUpdate } from "@codemirror/view";
import { inputOf } from "../answer";
import type { Item } from "../binding";
import type { Queue } from "../core/queue";
import { element } from "../dom";
import { toEditor } from "../positions";
import { isBinding, type Workspace } from "../state";
import type { DocumentsPane } from "./documents";
import { lineBreakIn } from "./editor";

/** An unclosed reference before the cursor, or a setter comment. */
const OPEN_REFERENCE = /\$\{[^}\n]*$|#\s*landfall:[^\n]*$/;
const OPEN = /\$\{[^}]*$/;
/** After the cursor, the line ends or another reference begins. */
const UNCLOSED = /^[^}]*(\$\{|$)/;
/** A binding name is followed by an output, a function by its arguments, a Binding's key by its value. */
const CONTINUES = /([.(]|: )$/;
/** After the cursor, arguments are closed. */
const CLOSES = /^[^(}]*\)/;
/** How many characters before the cursor are searched for the start of a reference. */
const MAX_REFERENCE_LENGTH = 1000;
/** The maximum number of items in the list. */
const MAX_ITEMS = 200;

const LIST = "completions";
const optionId = (nth: number) => `${LIST}-${nth}`;

interface List {
  items: Item[];
  chosen: number;
  /** Whether the text has changed since the list was requested. */
  isOld: boolean;
}

const setList = StateEffect.define<List | undefined>();

const list = StateField.define<List | undefined>({
  create: () => undefined,
  update(before, transaction) {
    for (const effect of transaction.effects) if (effect.is(setList)) return effect.value;
    // Typing requests a new list, and the old one stays until then; moving the cursor closes it.
    if (transaction.docChanged) return before && { ...before, isOld: true };
    return transaction.selection ? undefined : before;
  },
  provide: (self) => [
    showTooltip.compute([self], (state) => tooltip(state)),
    EditorView.contentAttributes.compute([self], (state) => {
      const open = state.field(self);
      return {
        "aria-autocomplete": "list",
        ...(open && { "aria-controls": LIST, "aria-activedescendant": optionId(open.chosen) }),
      };
    }),
  ],
});

interface Closed {
  from: number;
  to: number;
}

const setClosed = StateEffect.define<Closed>();

/** The `)` and `}` that were inserted automatically, which typing them skips. */
const closed = StateField.define<Closed>({
  create: () => ({ from: 0, to: 0 }),
  update({ from, to }, { effects, changes }) {
    for (const effect of effects) if (effect.is(setClosed)) return effect.value;
    return { from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) };
  },
});

const typedOver = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  const inserted = state.field(closed);
  const isNext = from === to && from === inserted.from && from < inserted.to;
  if (!isNext || text !== state.sliceDoc(from, from + 1)) return false;
  const effects = setClosed.of({ from: from + 1, to: inserted.to });
  view.dispatch({ selection: { anchor: from + 1 }, effects, userEvent: "select" });
  return true;
});

function tooltip(state: EditorState): Tooltip | null {
  if (!state.field(list)) return null;
  return {
    pos: state.selection.main.head,
    above: false,
    create: (view) => {
      const dom = element("div", { class: "cm-tooltip-autocomplete" });
      const draw = (open: List | undefined) => {
        if (!open) return;
        const items = open.items.map((one, nth) =>
          element(
            "li",
            { role: "option", id: optionId(nth), "data-nth": String(nth), "aria-selected": nth === open.chosen && "true" },
            element("span", { class: "cm-completionLabel" }, one.label),
            element("span", { class: "cm-completionDetail" }, one.detail),
          ),
        );
        dom.replaceChildren(element("ul", { role: "listbox", id: LIST, "aria-label": "Completions" }, ...items));
        items[open.chosen]?.scrollIntoView({ block: "nearest" });
      };
      // On mousedown, before the editor loses the focus.
      dom.addEventListener("mousedown", (event) => {
        const nth = (event.target as Element).closest<HTMLElement>("li")?.dataset["nth"];
        event.preventDefault();
        if (nth !== undefined) apply(view, Number(nth));
      });
      draw(view.state.field(list));
      return { dom, update: (update: ViewUpdate) => draw(update.state.field(list)) };
    },
  };
}

function apply(view: EditorView, nth: number): boolean {
  const { state } = view;
  const one = state.field(list)?.items[nth];
  if (!one) return false;
  const position = (offset: number) => toEditor(state.doc, lineBreakIn(state), offset);
  const from = position(one.range.start.offset);
  // The name includes what was typed since the list was requested.
  const to = Math.max(position(one.range.end.offset), state.selection.main.head);
  const line = state.doc.lineAt(to);
  const rest = state.sliceDoc(to, line.to);
  const isOpen = OPEN.test(state.sliceDoc(line.from, from)) && UNCLOSED.test(rest);
  const parenthesis = one.insert.endsWith("(") && !CLOSES.test(rest) ? ")" : "";
  const closing = parenthesis + (isOpen && !one.insert.endsWith(".") ? "}" : "");
  const anchor = from + one.insert.length;
  view.dispatch({
    changes: { from, to, insert: one.insert + closing },
    selection: { anchor },
    effects: [setList.of(undefined), setClosed.of({ from: anchor, to: anchor + closing.length })],
    userEvent: "input.complete",
    scrollIntoView: true,
  });
  return true;
}

const move = (by: number): Command => (view) => {
  const open = view.state.field(list);
  if (!open) return false;
  const chosen = (open.chosen + by + open.items.length) % open.items.length;
  view.dispatch({ effects: setList.of({ ...open, chosen }) });
  return true;
};

const close: Command = (view) => {
  if (!view.state.field(list)) return false;
  view.dispatch({ effects: setList.of(undefined) });
  return true;
};

const accept: Command = (view) => {
  const { state } = view;
  const open = state.field(list);
  if (!open) return false;
  if (!open.isOld) return apply(view, open.chosen);
  // A new list was requested: only items of the old one that match the text are accepted.
  const matches = ({ insert, range }: Item) =>
    insert.startsWith(state.sliceDoc(toEditor(state.doc, lineBreakIn(state), range.start.offset), state.selection.main.head));
  const nth = matches(open.items[open.chosen]!) ? open.chosen : open.items.findIndex(matches);
  return apply(view, nth) || true;
};

export function completion(workspace: Workspace, queue: Queue, pane: () => DocumentsPane): Extension {
  const request = async (view: EditorView): Promise<void> => {
    const { state } = view;
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    const before = line.text.slice(Math.max(0, head - line.from - MAX_REFERENCE_LENGTH), head - line.from);
    const here = pane().offset(head);
    const { snapshot, input } = inputOf(workspace);
    const manifest = here ? snapshot.manifests.indexOf(here.doc) : -1;
    let items: Item[] = [];
    if (here && isBinding(here.doc)) {
      const { completionsAt } = await import("../binding");
      if (view.state.doc !== state.doc || view.state.selection.main.head !== head) return;
      items = completionsAt(here.doc.text, here.offset).slice(0, MAX_ITEMS);
    } else if (here && manifest >= 0 && OPEN_REFERENCE.test(before)) {
      const at = { manifest, offset: here.offset };
      const outcome = await queue.submit({ kind: "complete", input, at });
      // A newer request is running, or the cursor has moved.
      if (outcome.kind === "stale" || view.state.doc !== state.doc || view.state.selection.main.head !== head) return;
      if (outcome.kind === "done") items = outcome.value.slice(0, MAX_ITEMS);
    }
    const isComplete = items.length === 1 && before.endsWith(items[0]!.insert);
    if (items.length === 0 || isComplete) close(view);
    else view.dispatch({ effects: setList.of({ items, chosen: 0, isOld: false }) });
  };
  const requestOnInput = ViewPlugin.fromClass(
    class {
      update(update: ViewUpdate) {
        const isTyped = update.transactions.some(
          (one) => one.isUserEvent("input.type") || (one.isUserEvent("delete") && update.startState.field(list)),
        );
        // After the name of a binding come its outputs.
        const { head } = update.state.selection.main;
        const continues =
          update.transactions.some((one) => one.isUserEvent("input.complete")) && CONTINUES.test(update.state.sliceDoc(Math.max(0, head - 2), head));
        // A view cannot be changed during its update.
        if (isTyped || continues) queueMicrotask(() => void request(update.view));
        else if (update.docChanged && update.state.field(list)) queueMicrotask(() => close(update.view));
      }
    },
  );
  return [
    list,
    closed,
    typedOver,
    requestOnInput,
    EditorView.domEventHandlers({ blur: (_, view) => void close(view) }),
    Prec.highest(
      keymap.of([
        { key: "Ctrl-Space", run: (view) => (void request(view), true) },
        { key: "ArrowDown", run: move(1) },
        { key: "ArrowUp", run: move(-1) },
        { key: "Enter", run: accept },
        { key: "Tab", run: accept },
        { key: "Escape", run: close },
      ]),
    ),
  ];
}
