/**
 * The way between offsets of a text and positions in an editor. Both count UTF-16
 * code units, but an editor counts each line break as one, and CR LF has two.
 */
import type { Text } from "@codemirror/state";

export type LineBreak = "\n" | "\r\n";

/**
 * The line break of a file. CR LF only where every line ends so: in a mixed file
 * the editor keeps each CR as a character of its line, and no byte changes.
 */
export function lineBreakOf(text: string): LineBreak {
  let at = text.indexOf("\n");
  if (at < 0) return "\n";
  for (; at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] !== "\r") return "\n";
  }
  return "\r\n";
}

/** The position in the editor of an offset of the text. */
export function toEditor(doc: Text, lineBreak: LineBreak, offset: number): number {
  if (lineBreak === "\n") return Math.max(0, Math.min(offset, doc.length));
  // The last line that begins at or before the offset; line n has n - 1 breaks before it.
  let low = 1;
  let high = doc.lines;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (doc.line(middle).from + middle - 1 <= offset) low = middle;
    else high = middle - 1;
  }
  const line = doc.line(low);
  return Math.min(offset - (low - 1), line.to);
}

/** The offset of the text for a position in the editor. */
export function fromEditor(doc: Text, lineBreak: LineBreak, position: number): number {
  return lineBreak === "\n" ? position : position + doc.lineAt(position).number - 1;
}
