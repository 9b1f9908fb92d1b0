/**
 * Stands in for `@codemirror/language` and `@lezer/common`, which CodeMirror's
 * commands import. Nothing here has a syntax tree: manifests with references are
 * often no YAML, and colours come from `colours.ts`. So each answer below is what
 * the real packages give for text without a language, without their 23 KB.
 */
import { Facet, countColumn, type EditorState } from "@codemirror/state";

interface Node {
  name: string;
  from: number;
  to: number;
  parent: Node | null;
  type: { isTop: boolean; prop(): undefined };
  childBefore(): null;
  childAfter(): null;
  resolveInner(): Node;
}

export function syntaxTree(state: EditorState): Node {
  const node: Node = {
    name: "",
    from: 0,
    to: state.doc.length,
    parent: null,
    type: { isTop: true, prop: () => undefined },
    childBefore: () => null,
    childAfter: () => null,
    resolveInner: () => node,
  };
  return node;
}

export const indentUnit = Facet.define<string, string>({ combine: (units) => units[0] ?? "  " });

export const getIndentUnit = (state: EditorState): number => state.facet(indentUnit).length;

export const indentString = (_: EditorState, columns: number): string => " ".repeat(columns);

/** None: a new line then begins where the line before it does. */
export const getIndentation = (): null => null;

export const matchBrackets = (): null => null;

export class IndentContext {
  constructor(readonly state: EditorState) {}

  lineIndent(at: number): number {
    const { text } = this.state.doc.lineAt(at);
    return countColumn(/^\s*/.exec(text)?.[0] ?? "", this.state.tabSize);
  }
}

/** Properties that no node here has. */
export const NodeProp = { closedBy: null, openedBy: null };
