/** What the tooltips of the three panes say. */
import type { EditorView } from "@codemirror/view";
import type { Hover, Range, Substitution } from "landfall";
import { docsOf, inputOf, isCurrent, type Answer } from "../answer";
import type { Asked } from "../core/protocol";
import { element, prose } from "../dom";
import { fromEditor } from "../positions";
import { valueAfterName } from "../json";
import type { Doc } from "../state";
import { lineBreakIn } from "./editor";
import type { Explainer, Pane } from "./hover";
import { notesOn } from "./notes";
import { severitiesAt } from "./squiggles";

/** How many characters of a value a tooltip shows. */
const MAX_VALUE_LENGTH = 300;
/** How many uses of an output a tooltip lists. */
const MAX_USES = 5;
/** Text that readers may take for a reference. */
const LIKE_A_REFERENCE = /\$+(\{[^{}\n]*\}|\([^()\n]*\))/g;

/** What a tooltip says, line by line. */
interface Said {
  name: string;
  detail: string;
  value?: string | undefined;
  lines: (string | HTMLElement)[];
}

function drawn({ name, detail, value, lines }: Said): HTMLElement {
  const short = value && value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
  return element(
    "div",
    { class: "value-tooltip", role: "status" },
    element("div", {}, element("strong", {}, name), ` ${detail}`),
    ...(short === undefined ? [] : [element("code", {}, short)]),
    ...lines.map((line) => element("div", { class: "from" }, ...(typeof line === "string" ? prose(line) : [line]))),
  );
}

const sensitively = (type: string, isSensitive: boolean | undefined) => (isSensitive ? `${type}, sensitive` : type);

/** Returns what a tooltip says about a position, or nothing. */
export async function explain(explainer: Explainer, pane: Pane, view: EditorView, position: number): Promise<HTMLElement | null> {
  const { provenance, workspace, queue, covers, jump } = explainer;
  const { answer } = provenance;
  const { doc: text } = view.state;
  const lineBreak = lineBreakIn(view.state);
  const offset = fromEditor(text, lineBreak, position);
  const doc = pane === "result" ? undefined : workspace.open[pane];
  const nth = explainer.marks(pane).at(view.state, position)[0];
  const one = nth === undefined ? undefined : answer?.substitutions[nth];

  const ask = async (at: Asked): Promise<Hover | null> => {
    const outcome = await queue.submit({ kind: "hover", input: inputOf(workspace).input, at });
    return outcome.kind === "done" ? outcome.value : null;
  };
  const place = (before: string, target: Doc | undefined, { start }: Range): HTMLElement => {
    const button = element("button", { type: "button", class: "link" }, `${target?.path}:${start.line}`);
    button.addEventListener("click", () => target && answer && isCurrent(answer.snapshot, target) && jump(target, start.offset));
    return element("span", {}, before, button);
  };
  const origin = (answer: Answer, of: Substitution) => {
    const { outputs } = docsOf(answer.snapshot, of);
    return outputs && of.definition ? place("from ", outputs, of.definition) : "default value";
  };

  if (pane === "result") {
    if (!one || !answer) return null;
    const { manifests } = docsOf(answer.snapshot, one);
    const lines = [origin(answer, one), place("reference in ", manifests, one.source), ...notesIn(answer, one)];
    return drawn({ name: one.output, detail: sensitively(one.type, one.sensitive), lines });
  }

  if (pane === "outputs") {
    if (!answer || !doc || !isCurrent(answer.snapshot, doc)) return null;
    const document = answer.snapshot.outputs.indexOf(doc);
    const unused = answer.explanation.unused?.find(({ document: of, definition: { start, end } }) => {
      const until = of === document ? (valueAfterName(doc.text, end.offset)?.to ?? end.offset) : -1;
      return start.offset <= offset && offset <= until;
    });
    const output = (one ?? unused)?.output;
    if (output === undefined) return null;
    const known = await ask({ reference: `\${${output}}`, offset: output.length + 1 });
    const uses = answer.substitutions.filter(
      (use) => one && use.document === document && use.definition?.start.offset === one.definition?.start.offset,
    );
    const lines = uses.slice(0, MAX_USES).map((use) => place("used in ", docsOf(answer.snapshot, use).manifests, use.source));
    const rest = uses.length > MAX_USES ? [`and ${uses.length - MAX_USES} more`] : [];
    return drawn({ name: output, detail: known ? sensitively(known.detail, known.sensitive) : "", lines: unused && severitiesAt(view.state, position).length === 0 ? ["Nothing uses it."] : [...lines, ...rest] });
  }

  const manifest = doc ? inputOf(workspace).snapshot.manifests.indexOf(doc) : -1;
  if (!doc || manifest < 0) return null;
  const named = await ask({ manifest, offset });
  if (one && answer && !(named && named.kind === "function")) {
    const value = one.sensitive && covers.isShown ? resultOf(answer, one) : one.value;
    return drawn({ name: one.output, detail: sensitively(one.type, one.sensitive), value, lines: [origin(answer, one), ...notesIn(answer, one)] });
  }
  if (named) {
    const { label, detail, sensitive, value, document, definition } = named;
    const target = document === undefined ? undefined : inputOf(workspace).snapshot.outputs[document];
    return drawn({ name: label, detail: sensitively(detail, sensitive), value, lines: target && definition ? [place("from ", target, definition)] : [] });
  }
  // While there are errors it is not known what becomes of text.
  if (!answer || !isCurrent(answer.snapshot, doc)) return null;
  const line = text.lineAt(position);
  const found = [...line.text.matchAll(LIKE_A_REFERENCE)].find(({ 0: { length }, index }) => line.from + index <= position && position <= line.from + index + length);
  if (!found) return null;
  const isText = isKept(found[0], doc.text, answer.explanation.files?.[answer.snapshot.manifests.indexOf(doc)]?.content ?? "");
  if (isText === undefined) return null;
  const why = isText ? leftAlone(found[0], answer) : `Becomes \`${found[0].slice(1)}\`, because the doubled dollar sign escapes the reference.`;
  return drawn({ name: found[0], detail: isText ? "text" : "escape", lines: [why] });
}

/** Returns whether text is in the result as it is in the source; `undefined` if some of it is. */
function isKept(text: string, source: string, result: string): boolean | undefined {
  const [before, after] = [source, result].map((all) => all.split(text).length - 1);
  return after === before || (after === 0 ? false : undefined);
}

/** Returns why something like a reference is none. */
function leftAlone(written: string, { snapshot: { outputs, binding } }: Answer): string {
  const name = /^\$+\{([\w-]+)/.exec(written)?.[1];
  // A Binding may bind other names.
  const isUnbound = name !== undefined && !binding && !outputs.some((doc) => doc.name === name);
  return isUnbound ? `No binding has the name \`${name}\`, so this stays as it is.` : "This is not a reference, so it stays as it is.";
}

const resultOf = ({ explanation }: Answer, { file, result }: Substitution): string =>
  explanation.files?.[file]?.content.slice(result.start.offset, result.end.offset) ?? "";

const notesIn = (answer: Answer, one: Substitution): string[] => notesOn(one, resultOf(answer, one));
