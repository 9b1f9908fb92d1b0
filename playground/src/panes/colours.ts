/**
 * Syntax colours for YAML and JSON, line by line with one pattern per language. This also
 * works in invalid documents, and needs no parser.
 */
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from "@codemirror/view";

const mark = (name: string) => Decoration.mark({ class: `tok-${name}` });
const MARKS = {
  key: mark("key"),
  string: mark("string"),
  number: mark("number"),
  word: mark("word"),
  comment: mark("comment"),
  marker: mark("marker"),
};

// Longer lines are not coloured, because matching them is slow.
const MAX_LINE_LENGTH = 4000;

const YAML =
  /(?<marker>^(?:---|\.\.\.)(?=\s|$))|(?<comment>(?<=^|\s)#.*$)|(?<key>(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w$][\w.$/{}|()-]*)(?=\s*:(?:\s|$)))|(?<string>"(?:[^"\\]|\\.)*"|(?<=[\s,[{])'(?:[^']|'')*')|(?<=[\s,[:])(?<word>true|false|null)(?=[\s,\]}]|$)|(?<=[\s,[])(?<number>-?\d+(?:\.\d+)?)(?=[\s,\]}]|$)/gm;
const JSON_LIKE =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g;

function colours(view: EditorView, pattern: RegExp): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  // A covered value splits the range of its line in two.
  let done = 0;
  for (const { from, to } of view.visibleRanges) {
    for (let at = Math.max(from, done); at <= to; ) {
      const line = view.state.doc.lineAt(at);
      if (line.length <= MAX_LINE_LENGTH) {
        for (const found of line.text.matchAll(pattern)) {
          for (const [name, text] of Object.entries(found.groups ?? {})) {
            if (!text) continue;
            const start = line.from + found.index;
            builder.add(start, start + text.length, MARKS[name as keyof typeof MARKS]);
          }
        }
      }
      at = done = line.to + 1;
    }
  }
  return builder.finish();
}

export function syntaxColours(path: string) {
  const pattern = /\.json$/.test(path) ? JSON_LIKE : YAML;
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = colours(view, pattern);
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.decorations = colours(update.view, pattern);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
