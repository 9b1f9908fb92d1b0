/** The extensions that all editors on the page share. */
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
import type { LineBreak } from "../positions";
import { syntaxColours } from "./colours";

/** Returns the line break of an editor; all editors here set `lineSeparator`. */
export const lineBreakIn = (state: EditorState): LineBreak =>
  state.facet(EditorState.lineSeparator) === "\r\n" ? "\r\n" : "\n";

const editorTheme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  "&.cm-focused": { outline: "none" },
});

/** Returns the extensions for read-only and editable text. */
export function baseExtensions(path: string, lineBreak: LineBreak, label: string): Extension[] {
  return [
    EditorState.lineSeparator.of(lineBreak),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, lineBreak)),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
    lineNumbers(),
    highlightSpecialChars(),
    syntaxColours(path),
    editorTheme,
  ];
}

/**
 * Returns the extensions for editable text. Tab leaves the editor, as in any other control;
 * Ctrl-] indents.
 */
export function editingExtensions(): Extension[] {
  return [
    history(),
    EditorView.contentAttributes.of({ tabindex: "0" }),
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

/** Scrolls a position into the middle of its editor, without scrolling the page. */
export function centre(view: EditorView, from: number): void {
  const { top } = view.lineBlockAt(Math.min(from, view.state.doc.length));
  view.scrollDOM.scrollTop = top - view.scrollDOM.clientHeight / 2;
}

/** Scrolls a position into the middle unless it is visible. */
export function reveal(view: EditorView, from: number): void {
  const { top, bottom } = view.scrollDOM.getBoundingClientRect();
  const box = view.coordsAtPos(from);
  if (box && box.top >= top && box.bottom <= bottom) return;
  view.dispatch({
    effects: EditorView.scrollIntoView(Math.min(from, view.state.doc.length), { y: "center" }),
  });
}
