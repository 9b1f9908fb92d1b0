/**
 * Which substitution is pointed at. Editors, the result, the table and the lines
 * between the panes all listen here, so that each can light up what another one
 * is pointed at.
 */
import type { Answer } from "./answer";

/** Positions in `Answer.substitutions`. */
export type Lit = readonly number[];

/**
 * The source of a change: it does not scroll itself. Nothing scrolls for the page,
 * except when something was opened. `table` is a pointer over a row, `row` a row that
 * was chosen: only the latter opens documents, for a pointer can rest over the table
 * while somebody types.
 */
export type Pointer = "outputs" | "manifests" | "result" | "table" | "row" | "page" | "open";

export class Provenance {
  answer: Answer | undefined;
  lit: Lit = [];
  #listeners: ((lit: Lit, by: Pointer) => void)[] = [];

  listen(listener: (lit: Lit, by: Pointer) => void): void {
    this.#listeners.push(listener);
  }

  /** A new answer: what was pointed at stays so, where it is still there. */
  renew(answer: Answer | undefined, file: number | undefined, by: "page" | "open"): void {
    const before = alike(this.answer);
    this.answer = answer;
    const now = alike(answer);
    const kept = this.lit.flatMap((lit) => {
      const [written, nth] = before.place(lit);
      const same = now.list(written);
      // Of those that are written alike it is the same one, counted from the top.
      return same[nth] ?? same.at(-1) ?? [];
    });
    this.lit = [...new Set(kept)];
    if (kept.length === 0) this.#first(file);
    this.#tell(by);
  }

  /** A manifest was opened: something of it is lit. */
  enter(file: number | undefined): void {
    if (this.lit.some((nth) => this.answer?.substitutions[nth]?.file === file)) return;
    this.#first(file);
    this.#tell("page");
  }

  #first(file: number | undefined): void {
    const all = this.answer?.substitutions ?? [];
    const nth = Math.max(0, all.findIndex((one) => one.file === file));
    this.lit = all.length > 0 ? [nth] : [];
  }

  point(lit: Lit, by: Pointer): void {
    if (lit.length === 0) return;
    if (lit.length === this.lit.length && lit.every((one, at) => one === this.lit[at])) return;
    this.lit = lit;
    this.#tell(by);
  }

  #tell(by: Pointer): void {
    for (const listener of this.#listeners) listener(this.lit, by);
  }
}

/** The substitutions by what is written in which file. */
function alike(answer: Answer | undefined) {
  const lists = new Map<string, number[]>();
  const places = (answer?.substitutions ?? []).map(({ file, reference }, nth): [string, number] => {
    const written = `${file} ${reference}`;
    const list = lists.get(written) ?? [];
    lists.set(written, list);
    return [written, list.push(nth) - 1];
  });
  return {
    list: (written: string): number[] => lists.get(written) ?? [],
    /** What a substitution's list is called, and where in it it stands. */
    place: (nth: number): [string, number] => places[nth] ?? ["", 0],
  };
}
