/**
 * Which substitutions are highlighted. The editors, the result, the table and the lines
 * between the panes all subscribe to this, so that pointing at a substitution in one of
 * them highlights it in the others.
 */
import type { Answer } from "./answer";

/** Indices into `Answer.substitutions` of the highlighted substitutions. */
export type Lit = readonly number[];

/**
 * The source of a change, which is not scrolled itself. For `page` nothing scrolls, for
 * `open` everything does. `table` is the mouse over a row, `row` a selected row: only the
 * latter opens documents, because the mouse can rest over the table during typing.
 */
export type Pointer = "outputs" | "manifests" | "result" | "table" | "row" | "page" | "open";

export class Provenance {
  answer: Answer | undefined;
  lit: Lit = [];
  #listeners: ((lit: Lit, by: Pointer) => void)[] = [];

  listen(listener: (lit: Lit, by: Pointer) => void): void {
    this.#listeners.push(listener);
  }

  /** Sets a new answer; substitutions that still exist stay highlighted. */
  update(answer: Answer | undefined, file: number | undefined, by: "page" | "open"): void {
    const before = groupByReference(this.answer);
    this.answer = answer;
    const after = groupByReference(answer);
    const kept = this.lit.flatMap((lit) => {
      const [group, nth] = before.position(lit);
      const same = after.group(group);
      // Among identical references, the one at the same position from the top.
      return same[nth] ?? same.at(-1) ?? [];
    });
    this.lit = [...new Set(kept)];
    if (kept.length === 0) this.#highlightFirst(file);
    this.#notify(by);
  }

  /** Highlights a substitution of the manifest that was opened. */
  showFile(file: number | undefined): void {
    if (this.lit.some((nth) => this.answer?.substitutions[nth]?.file === file)) return;
    this.#highlightFirst(file);
    this.#notify("page");
  }

  #highlightFirst(file: number | undefined): void {
    const all = this.answer?.substitutions ?? [];
    const nth = Math.max(0, all.findIndex((one) => one.file === file));
    this.lit = all.length > 0 ? [nth] : [];
  }

  point(lit: Lit, by: Pointer): void {
    if (lit.length === 0) return;
    const isSame = lit.length === this.lit.length && lit.every((one, at) => one === this.lit[at]);
    // A row that is clicked was highlighted by the mouse before.
    if (isSame && by !== "row") return;
    this.lit = lit;
    this.#notify(by);
  }

  #notify(by: Pointer): void {
    for (const listener of this.#listeners) listener(this.lit, by);
  }
}

/** Groups substitutions by file and by the text of the reference. */
function groupByReference(answer: Answer | undefined) {
  const groups = new Map<string, number[]>();
  const positions = (answer?.substitutions ?? []).map(({ file, reference }, nth): [string, number] => {
    const key = `${file} ${reference}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    return [key, group.push(nth) - 1];
  });
  return {
    group: (key: string): number[] => groups.get(key) ?? [],
    /** Returns the key of a substitution's group and its index in the group. */
    position: (nth: number): [string, number] => positions[nth] ?? ["", 0],
  };
}
