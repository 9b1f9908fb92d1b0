/**
 * A line diff of the result against its source, in one column: removed lines above the
 * lines that replace them. `@codemirror/merge` does more, but adds a tenth to the size of
 * the page.
 */
import { RangeSetBuilder, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { element } from "../dom";

/** Lines of the source and the lines of the result that replace them; half-open ranges, from 0. */
export interface Hunk {
  source: [number, number];
  result: [number, number];
}

/** The maximum number of line comparisons; for more, the whole middle counts as changed. */
const MAX_COMPARISONS = 4_000_000;

/** Returns the shortest diff of two texts, from a table of longest common subsequences. */
export function hunks(source: string[], result: string[]): Hunk[] {
  let start = 0;
  while (start < source.length && start < result.length && source[start] === result[start]) start++;
  let [sourceEnd, resultEnd] = [source.length, result.length];
  while (sourceEnd > start && resultEnd > start && source[sourceEnd - 1] === result[resultEnd - 1]) {
    sourceEnd--;
    resultEnd--;
  }
  const [rows, columns] = [sourceEnd - start, resultEnd - start];
  if (rows === 0 && columns === 0) return [];
  if (rows * columns > MAX_COMPARISONS) return [{ source: [start, sourceEnd], result: [start, resultEnd] }];
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      table[row * width + column] =
        source[start + row] === result[start + column]
          ? table[(row + 1) * width + column + 1]! + 1
          : Math.max(table[(row + 1) * width + column]!, table[row * width + column + 1]!);
    }
  }
  const found: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const isSame = row < rows && column < columns && source[start + row] === result[start + column];
    if (isSame) {
      row++;
      column++;
      continue;
    }
    const hunk: Hunk = { source: [start + row, start + row], result: [start + column, start + column] };
    while (row < rows || column < columns) {
      if (row < rows && column < columns && source[start + row] === result[start + column]) break;
      const goesDown =
        column >= columns || (row < rows && table[(row + 1) * width + column]! >= table[row * width + column + 1]!);
      if (goesDown) row++;
      else column++;
    }
    hunk.source[1] = start + row;
    hunk.result[1] = start + column;
    found.push(hunk);
  }
  return found;
}

class RemovedLines extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: RemovedLines): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const lines = this.text.split("\n").map((line) => element("div", {}, line || "\u200b"));
    return element("del", { class: "removed" }, ...lines);
  }
}

const added = Decoration.line({ class: "added" });

/** Shows the diff against `source` in an editor with the result. */
export function difference(source: string, state: EditorState): Extension {
  const lines = (text: string) => text.split(/\r?\n/);
  const { doc } = state;
  const before = lines(source);
  const builder = new RangeSetBuilder<Decoration>();
  for (const hunk of hunks(before, lines(state.sliceDoc()))) {
    const [first, end] = hunk.result;
    const at = first < doc.lines ? doc.line(first + 1).from : doc.length;
    const removed = before.slice(...hunk.source);
    if (removed.length > 0) {
      const side = first < doc.lines ? -1 : 1;
      builder.add(at, at, Decoration.widget({ widget: new RemovedLines(removed.join("\n")), block: true, side }));
    }
    for (let nth = first; nth < end; nth++) {
      const { from } = doc.line(nth + 1);
      builder.add(from, from, added);
    }
  }
  return [EditorView.editorAttributes.of({ class: "is-diff" }), EditorView.decorations.of(builder.finish())];
}
