/**
 * Reads the examples in docs/ in the same way as `tests/specs`; see its documentation for
 * the format.
 */

export interface Block {
  /** `json`: an outputs document in short form. */
  language: string;
  role: string;
  marks: Set<string>;
  content: string;
}

export interface Example {
  sentence: string;
  line: number;
  /** The chapter's blocks that it does not replace, then its own. */
  blocks: Block[];
}

export function examples(page: string): Example[] {
  const found: Example[] = [];
  let chapter: Block[] = [];
  let example: Example | undefined;
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("### ")) {
      example = { sentence: line.slice(4), line: at + 1, blocks: [...chapter] };
      found.push(example);
    } else if (line.startsWith("## ")) {
      chapter = [];
      example = undefined;
    } else if (line.startsWith("```")) {
      const fence = /^`+/.exec(line)?.[0] ?? "";
      const opened = at;
      while (++at < lines.length && lines[at] !== fence);
      const [language = "", role, ...marks] = line.slice(fence.length).trim().split(/\s+/);
      if (!role) continue;
      const content = lines.slice(opened + 1, at).map((text) => `${text}\n`).join("");
      const block = { language, role, marks: new Set(marks), content };
      if (!example) {
        chapter.push(block);
        continue;
      }
      example.blocks = example.blocks.filter(
        (other) => other.role !== role || !chapter.includes(other),
      );
      example.blocks.push(block);
    }
  }
  return found;
}

/** Returns the text of a block: replaces the symbols for invisible characters and applies its marks. */
export function written({ content, marks }: Block): string {
  let text = content.replaceAll("␠", " ").replaceAll("␉", "\t").replaceAll("␍", "\r");
  if (marks.has("no-eol")) text = text.replace(/\n$/, "");
  if (marks.has("crlf")) text = text.replaceAll("\n", "\r\n");
  return marks.has("bom") ? `\ufeff${text}` : text;
}

/**
 * Expands `{"name": value, "sensitive name!": value}` to the format of `terraform output
 * -json`. Values keep their text, because the digits of numbers matter.
 */
export function expanded(block: string): string {
  const members = [...entries(block)].map(([key, raw]) => {
    const name = JSON.parse(key) as string;
    const bare = name.replace(/!$/, "");
    const sensitive = bare !== name;
    const type = JSON.stringify(typeOf(JSON.parse(raw)));
    return `\n  ${JSON.stringify(bare)}: {\n    "sensitive": ${sensitive},\n    "type": ${type},\n    "value": ${raw}\n  }`;
  });
  return `{${members.join(",")}\n}\n`;
}

/** Yields the members of an object, each with the text of its name and of its value. */
function* entries(text: string): Generator<[string, string]> {
  const string = /"(?:[^"\\]|\\.)*"/y;
  const blank = /\s*/y;
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  skip(blank);
  at++;
  for (;;) {
    skip(blank);
    if (text[at] !== '"') return;
    const name = skip(string);
    skip(/\s*:\s*/y);
    const start = at;
    let depth = 0;
    while (at < text.length) {
      const character = text[at] ?? "";
      if (character === '"') {
        skip(string);
        continue;
      }
      if (depth === 0 && (character === "," || character === "}")) break;
      if ("{[".includes(character)) depth++;
      if ("}]".includes(character)) depth--;
      at++;
    }
    yield [name, text.slice(start, at).trimEnd()];
    at++;
  }
}

function typeOf(value: unknown): unknown {
  if (value === null) return "dynamic";
  if (Array.isArray(value)) return ["tuple", value.map(typeOf)];
  if (typeof value === "object") {
    return [
      "object",
      Object.fromEntries(Object.entries(value).map(([key, item]) => [key, typeOf(item)])),
    ];
  }
  return { string: "string", number: "number", boolean: "bool" }[typeof value as string];
}
