import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { fromEditor, lineBreakOf, toEditor } from "../src/positions";

const docOf = (text: string) => Text.of(text.split(lineBreakOf(text)));

describe("line breaks", () => {
  it.each([
    ["", "\n"],
    ["a", "\n"],
    ["a\nb\n", "\n"],
    ["a\r\nb\r\n", "\r\n"],
    // Mixed: each CR stays a character, so that no byte changes.
    ["a\r\nb\n", "\n"],
    ["\n\r\n", "\n"],
    ["a\rb", "\n"],
  ])("%j has %j, and an editor gives the same text back", (text, expected) => {
    expect(lineBreakOf(text)).toBe(expected);
    const lines: string[] = [];
    const doc = docOf(text);
    for (let nth = 1; nth <= doc.lines; nth++) lines.push(doc.line(nth).text);
    expect(lines.join(expected)).toBe(text);
  });
});

describe("positions", () => {
  it.each(["a: 1\nb: größe 😀\n", "a: 1\r\nb: größe 😀\r\n\r\nc", "\uFEFFa: b\r\nc: d", "\uFEFFa\n"])(
    "convert to an editor and back in %j",
    (text) => {
      const doc = docOf(text);
      const lineBreak = lineBreakOf(text);
      for (let offset = 0; offset <= text.length; offset++) {
        // Between CR and LF there is no position.
        if (text[offset - 1] === "\r" && text[offset] === "\n") continue;
        const position = toEditor(doc, lineBreak, offset);
        expect(fromEditor(doc, lineBreak, position)).toBe(offset);
        const rest = doc.sliceString(position, doc.length, lineBreak);
        expect(rest).toBe(text.slice(offset));
      }
    },
  );

  it("between CR and LF become the end of the line, and past the end the end of the text", () => {
    const doc = docOf("ab\r\nc");
    expect(toEditor(doc, "\r\n", 3)).toBe(2);
    expect(toEditor(doc, "\r\n", 99)).toBe(4);
    expect(toEditor(docOf("ab"), "\n", 99)).toBe(2);
  });
});
