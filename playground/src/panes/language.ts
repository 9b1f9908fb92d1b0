/**
 * Replaces `@codemirror/language` and `@lezer/common`, which `@codemirror/commands`
 * imports. The page has no syntax trees: manifests with references are often not valid
 * YAML, and colours come from `colours.ts`. Each function below returns what the real
 * packages return for text without a language, without their 23 KB.
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

/** Always `null`: a new line then has the indentation of the previous one. */
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
