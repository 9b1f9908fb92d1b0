/**
 * Converts between offsets in a text and positions in an editor. Both count UTF-16
 * code units, but an editor counts each line break as one, and CR LF is two.
 */
import type { Text } from "@codemirror/state";

export type LineBreak = "\n" | "\r\n";

/**
 * Returns the line break of a file: CR LF only if every line ends with it. In a mixed
 * file the editor keeps each CR as a character of its line, so that no byte changes.
 */
export function lineBreakOf(text: string): LineBreak {
  let at = text.indexOf("\n");
  if (at < 0) return "\n";
  for (; at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] !== "\r") return "\n";
  }
  return "\r\n";
}

/** Returns the position in the editor for an offset in the text. */
export function toEditor(doc: Text, lineBreak: LineBreak, offset: number): number {
  if (lineBreak === "\n") return Math.max(0, Math.min(offset, doc.length));
  // Finds the last line that begins at or before the offset; line n has n - 1 line breaks before it.
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

/** Returns the offset in the text for a position in the editor. */
export function fromEditor(doc: Text, lineBreak: LineBreak, position: number): number {
  return lineBreak === "\n" ? position : position + doc.lineAt(position).number - 1;
}
