/**
 * The line between the panes and the lists, of fixed height: what the last answer inserted and
 * left alone or, while there are errors, the words of the first one and its fix.
 */
import type { Diagnostic, OtherDialect } from "landfall";
import { docOf, formatCount, pluralize, problemCounts, summary, type Answer } from "../answer";
import { byId, element, prose } from "../dom";
import { isBlank, type Doc, type Workspace } from "../state";
import { capitalized, type ApplyFix } from "./squiggles";

/** The pause in typing after which an error is shown, in milliseconds: a reference that is being typed is no mistake. */
const PAUSE = 500;

/** Returns how many of a file's lines a render changed, and how many it has. */
function lineCounts({ snapshot, explanation, substitutions }: Answer, file: number): { changed: number; all: number } {
  const source = snapshot.manifests[file]!.text;
  const result = explanation.files![file]!;
  const all = linesIn(source) + (source === "" || source.endsWith("\n") ? 0 : 1);
  if (!result.changed) return { changed: 0, all };
  const changed = new Set<number>();
  // Between two substitutions, both texts are the same but for escapes.
  let [sourceAt, resultAt, line] = [0, 0, 1];
  const compare = (sourceEnd: number, resultEnd: number) => {
    const gap = source.slice(sourceAt, sourceEnd);
    const other = result.content.slice(resultAt, resultEnd);
    if (gap !== other) {
      const others = other.split("\n");
      for (const [nth, text] of gap.split("\n").entries()) if (text !== others[nth]) changed.add(line + nth);
    }
    line += linesIn(gap);
  };
  for (const one of substitutions) {
    if (one.file !== file || one.source.start.offset < sourceAt || one.result.start.offset < resultAt) continue;
    compare(one.source.start.offset, one.result.start.offset);
    for (let at = one.source.start.line; at <= one.source.end.line; at++) changed.add(at);
    [sourceAt, resultAt, line] = [one.source.end.offset, one.result.end.offset, one.source.end.line];
  }
  compare(source.length, result.content.length);
  return { changed: changed.size, all };
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Returns where the sensitive values of an answer are: `1 secret, only in a Secret`. Without their values, there are placeholders. */
function secrets({ substitutions }: Answer, withheld: ReadonlySet<string>): string[] {
  const sensitive = substitutions.filter((one) => one.sensitive);
  if (sensitive.length === 0) return [];
  const count = pluralize(new Set(sensitive.map((one) => one.output)).size, "secret");
  const kinds = [...new Set(sensitive.map((one) => one.resource?.kind ?? "a document without a kind"))].sort();
  const where = kinds.join() === "Secret" ? `${count}, only in a Secret` : `${count}, in ${kinds.join(" and ")}`;
  const missing = sensitive.filter((one) => withheld.has(one.output)).length;
  return missing > 0 ? [where, `with placeholders instead of ${pluralize(missing, "value")} that ${missing === 1 ? "is" : "are"} not here`] : [where];
}

const code = ({ reference }: OtherDialect): string => `\`${reference.replaceAll("`", "'")}\``;

/** Returns what a render did: `6 values inserted, 41 of 44 lines untouched, 1 secret, only in a Secret`. */
export function verdictOf(answer: Answer, withheld: ReadonlySet<string>, other?: OtherDialect): string {
  const { snapshot, explanation, substitutions } = answer;
  if (snapshot.manifests.every(({ text }) => isBlank(text))) {
    return snapshot.outputs.length === 0 ? "Paste or drop manifests and outputs to begin" : "Write or drop a manifest to begin";
  }
  if (answer.areKnown === false) return "Rendered; it is not known which values were inserted";
  const [changed, all] = snapshot.manifests
    .map((_, file) => lineCounts(answer, file))
    .reduce(([changed, all], one) => [changed + one.changed, all + one.all], [0, 0] as [number, number]);
  if (substitutions.length === 0 && changed === 0) {
    // Such as a shell's or another tool's variable.
    if (other) return `Nothing to insert: ${code(other)} names no bound output and stays as it is`;
    const name = explanation.unused?.[0]?.output;
    return `Nothing to insert: no manifest has a reference${name ? ` such as \`\${${name}}\`` : ""}`;
  }
  const untouched = `${formatCount(all - changed)} of ${formatCount(all)} lines untouched`;
  const alone = other ? [`${code(other)} stays as it is`] : [];
  return [`${pluralize(substitutions.length, "value")} inserted`, untouched, ...secrets(answer, withheld), ...alone].join(", ");
}

/** Returns the severity of an answer without errors. */
const worstOf = (answer: Answer | undefined): "warning" | "" =>
  answer?.explanation.diagnostics.some(({ severity }) => severity === "warning") ? "warning" : "";

export class Verdict {
  #line = byId("verdict");
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last answer without errors. */
  #shown: Answer | undefined;
  /** What may be references of other dialects, by manifest. */
  #others = new Map<Doc, OtherDialect[]>();

  constructor(
    readonly jump: (doc: Doc, offset: number) => void,
    readonly fix: ApplyFix,
    readonly showProblems: () => void,
    readonly workspace: Workspace,
    readonly readAs: (dialect: string) => void,
  ) {}

  /** Sets what the core finds of other dialects in each manifest. */
  others(found: Map<Doc, OtherDialect[]>): void {
    this.#others = found;
    const isOld = this.#line.classList.contains("old");
    if (this.#shown && !isOld) this.#show(worstOf(this.#shown), this.#good(this.#shown));
  }

  /** Shows an answer, or why there is none. `isAtOnce`: errors do not wait for a pause in typing. */
  update(answer: Answer | undefined, why = "", isAtOnce = false): void {
    clearTimeout(this.#timer);
    const error = answer?.explanation.diagnostics.find(({ severity }) => severity === "error");
    this.#shown = error ? undefined : answer;
    if (why) return this.#show("error", [why]);
    if (!answer || !error) return this.#show(worstOf(answer), answer ? this.#good(answer) : []);
    const show = () => this.#show("error", this.#bad(answer, error));
    this.wait();
    if (isAtOnce) show();
    else this.#timer = setTimeout(show, PAUSE);
  }

  /** Marks the verdict as that of an older text. */
  wait(): void {
    clearTimeout(this.#timer);
    this.#line.classList.add("old");
  }

  #show(severity: "error" | "warning" | "", content: (Node | string)[]): void {
    this.#line.classList.remove("old");
    this.#line.dataset["severity"] = severity;
    this.#line.replaceChildren(...content);
  }

  #good(answer: Answer): (Node | string)[] {
    const others = this.#othersIn(answer);
    const text = `${verdictOf(answer, this.workspace.withheld, others[0])}.`;
    const counts = problemCounts(answer.explanation);
    const words = element("p", { title: text.replaceAll("`", "") }, ...prose(text));
    const found: HTMLElement[] = [words];
    if (others.length > 0) {
      const options = others.map(({ dialect }) => element("option", { value: dialect }, dialect));
      const menu = element("select", { "data-testid": "read-as", "aria-label": "Read the manifests as" }, element("option", { value: "" }, "Read as…"), ...options);
      menu.addEventListener("change", () => this.readAs(menu.value));
      found.push(menu);
    }
    return counts.warning + counts.note > 0 ? [...found, this.#more(summary(counts))] : found;
  }

  /** Returns what may be references of other dialects in the first manifest without any value. */
  #othersIn({ snapshot, substitutions }: Answer): OtherDialect[] {
    const withValues = new Set(substitutions.map(({ file }) => snapshot.manifests[file]));
    const binding = this.workspace.binding()?.text ?? "";
    for (const doc of snapshot.manifests) {
      const others = this.#others.get(doc) ?? [];
      const isRead = others.some(({ dialect }) => binding.includes(`dialect: ${dialect}`));
      if (others.length > 0 && !isRead && !withValues.has(doc)) return others;
    }
    return [];
  }

  #bad(answer: Answer, error: Diagnostic): (Node | string)[] {
    const [label] = error.labels;
    const doc = label && docOf(answer.snapshot, label.origin);
    const [fix] = error.fixes;
    const help = error.help && !fix ? ` ${capitalized(error.help)}.` : "";
    const message = `${capitalized(error.message)}.${help}`;
    const words = element("p", { title: message.replaceAll("`", "") }, ...prose(message));
    if (doc) {
      const { line, column, offset } = label.range.start;
      const place = element("button", { type: "button", class: "link" }, `${doc.path}:${line}:${column}`);
      place.addEventListener("click", () => this.jump(doc, offset));
      words.prepend(place, " ");
    }
    const found: HTMLElement[] = [words];
    if (fix) {
      const button = element("button", { type: "button", class: "fix", "data-testid": "verdict-fix" }, ...prose(capitalized(fix.title)));
      button.addEventListener("click", () => this.fix(fix));
      found.push(button);
    }
    const { error: errors } = problemCounts(answer.explanation);
    return errors > 1 ? [...found, this.#more(pluralize(errors, "error"))] : found;
  }

  #more(text: string): HTMLElement {
    const button = element("button", { type: "button", class: "link", "data-testid": "show-problems" }, text);
    button.addEventListener("click", this.showProblems);
    return button;
  }
}
