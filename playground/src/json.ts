/** Parses JSON with the ranges of its parts, so that a value can be replaced without changing another byte. */

export interface Node {
  from: number;
  to: number;
  kind: "object" | "list" | "string" | "number" | "bool" | "null";
  members?: { name: string; from: number; value: Node }[];
  items?: Node[];
}

/** The deepest nesting that is parsed; deeper documents would overflow the stack. */
const MAX_DEPTH = 200;

const BLANK = /[ \t\r\n\uFEFF]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Parses a document. Throws a `SyntaxError` if it is not JSON. */
export function parse(text: string): Node {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.blank();
  if (reader.at < text.length) throw new SyntaxError(`invalid JSON at ${reader.at}`);
  return node;
}

/** Returns the value after the output name that ends at `nameEnd`: its `value` field, if it has one. */
export function valueAfterName(text: string, nameEnd: number): Node | undefined {
  try {
    const reader = new Reader(text, nameEnd);
    if (text[reader.at] === '"') reader.at++;
    reader.expect(":");
    const node = reader.value(0);
    return node.members?.find((member) => member.name === "value")?.value ?? node;
  } catch {
    return undefined;
  }
}

class Reader {
  constructor(
    readonly text: string,
    public at = 0,
  ) {}

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  blank(): void {
    this.#take(BLANK);
  }

  expect(character: string): void {
    this.blank();
    if (this.text[this.at] !== character) throw new SyntaxError(`expected ${character} at ${this.at}`);
    this.at++;
  }

  #comes(character: string): boolean {
    this.blank();
    return this.text[this.at] === character;
  }

  value(depth: number): Node {
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deeply");
    this.blank();
    const from = this.at;
    switch (this.text[from]) {
      case "{":
        return this.#object(from, depth);
      case "[":
        return this.#list(from, depth);
      case '"':
        if (this.#take(STRING) === undefined) break;
        return { from, to: this.at, kind: "string" };
      case "t":
      case "f":
      case "n": {
        const word = this.#take(WORD);
        if (!word) break;
        return { from, to: this.at, kind: word === "null" ? "null" : "bool" };
      }
      default:
        if (!this.#take(NUMBER)) break;
        return { from, to: this.at, kind: "number" };
    }
    throw new SyntaxError(`invalid JSON at ${from}`);
  }

  #object(from: number, depth: number): Node {
    const members: NonNullable<Node["members"]> = [];
    this.expect("{");
    while (!this.#comes("}")) {
      if (members.length > 0) this.expect(",");
      this.blank();
      const at = this.at;
      const name = this.#take(STRING);
      if (name === undefined) throw new SyntaxError(`expected a name at ${at}`);
      this.expect(":");
      members.push({ name: JSON.parse(name) as string, from: at, value: this.value(depth + 1) });
    }
    this.expect("}");
    return { from, to: this.at, kind: "object", members };
  }

  #list(from: number, depth: number): Node {
    const items: Node[] = [];
    this.expect("[");
    while (!this.#comes("]")) {
      if (items.length > 0) this.expect(",");
      items.push(this.value(depth + 1));
    }
    this.expect("]");
    return { from, to: this.at, kind: "list", items };
  }
}
