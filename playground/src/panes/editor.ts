/** What every editor of the page has in common. */
import {
  history,
  historyKeymap,
  indentLess,
  indentMore,
  redo,
  standardKeymap,
} from "@codemirror/commands";
import { EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { lineBreakOf, type LineBreak } from "../positions";
import { colourful } from "./colours";

/** The line break that an editor writes; `lineSeparator` is always set here. */
export const lineBreakIn = (state: EditorState): LineBreak =>
  state.facet(EditorState.lineSeparator) === "\r\n" ? "\r\n" : "\n";

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  "&.cm-focused": { outline: "none" },
});

/** For reading and for writing; of the text only its line breaks count. */
export function common(path: string, text: string, label: string): Extension[] {
  const lineBreak = lineBreakOf(text);
  return [
    EditorState.lineSeparator.of(lineBreak),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, lineBreak)),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
    lineNumbers(),
    highlightSpecialChars(),
    colourful(path),
    look,
  ];
}

/** For writing. Tab leaves the editor, as everywhere in a page; Ctrl-] indents. */
export function writing(): Extension[] {
  return [
    history(),
    highlightActiveLine(),
    EditorState.tabSize.of(2),
    keymap.of([
      ...standardKeymap,
      ...historyKeymap,
      { key: "Mod-Shift-z", run: redo, preventDefault: true },
      { key: "Mod-[", run: indentLess },
      { key: "Mod-]", run: indentMore },
    ]),
  ];
}


/** Scrolls a place into the middle of its editor, whatever the page around it shows. */
export function centre(view: EditorView, from: number): void {
  const { top } = view.lineBlockAt(Math.min(from, view.state.doc.length));
  view.scrollDOM.scrollTop = top - view.scrollDOM.clientHeight / 2;
}

/** Scrolls a place into the middle unless it can be seen. */
export function reveal(view: EditorView, from: number): void {
  const { top, bottom } = view.scrollDOM.getBoundingClientRect();
  const seen = view.coordsAtPos(from);
  if (seen && seen.top >= top && seen.bottom <= bottom) return;
  view.dispatch({
    effects: EditorView.scrollIntoView(Math.min(from, view.state.doc.length), { y: "center" }),
  });
}
