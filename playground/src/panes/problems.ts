/** The list of problems below the panes. */
import type { Diagnostic, Label } from "landfall";
import { docOf, formatCount, problemCounts, summary, type Answer } from "../answer";
import { byId, element, prose, roving } from "../dom";
import type { Doc } from "../state";
import { capitalized, type ApplyFix } from "./squiggles";

/** The maximum number of rows in the list; a last row counts the rest. */
const MAX_ROWS = 200;

/**
 * The delay before screen readers announce a new count, in milliseconds, so that typing
 * does not announce every change.
 */
const ANNOUNCE_DELAY = 700;

export class Problems {
  #list = byId("problems");
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly jump: (doc: Doc, offset: number) => void,
    readonly fix: ApplyFix,
  ) {
    roving(this.#list, () => [...this.#list.querySelectorAll<HTMLElement>(".problem")], true);
  }

  /** Shows the problems of an answer; if there is no answer, `why` is the reason. */
  update(answer: Answer | undefined, why = ""): void {
    const diagnostics = answer?.explanation.diagnostics ?? [];
    const counts = answer ? problemCounts(answer.explanation) : { error: 0, warning: 0, note: 0 };
    const tab = byId("problems-tab");
    tab.querySelector(".count")!.textContent = why ? "?" : formatCount(counts.error + counts.warning + counts.note);
    tab.dataset["worst"] = counts.error > 0 || why ? "error" : (diagnostics[0]?.severity ?? "");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const count = byId("problem-count");
      const text = answer ? summary(counts) : why;
      if (count.textContent !== text) count.textContent = text;
    }, ANNOUNCE_DELAY);

    // Keeps the focus in the list, for example on a fix button.
    const focused = [...this.#list.children].findIndex((row) => row.contains(document.activeElement));
    const rank = { error: 0, warning: 1, note: 2 };
    const sorted = [...diagnostics].sort((a, b) => rank[a.severity] - rank[b.severity]);
    const listed = sorted.slice(0, MAX_ROWS);
    const rows = answer ? listed.map((one) => this.#row(answer, one)) : [];
    const unlisted = { ...counts };
    for (const { severity } of listed) unlisted[severity] -= 1;
    if (Object.values(unlisted).some((count) => count > 0)) {
      rows.push(element("li", { class: "more", "data-testid": "more-problems" }, `and ${summary(unlisted, "more ")}`));
    }
    if (rows.length === 0) rows.push(element("li", { class: "more" }, answer ? "No problems." : why));
    this.#list.replaceChildren(...rows);
    const buttons = [...this.#list.querySelectorAll<HTMLElement>(".problem")];
    const stop = buttons[Math.max(0, focused)] ?? buttons.at(-1);
    if (stop) stop.tabIndex = 0;
    if (focused >= 0) (stop ?? tab).focus();
  }

  #row(answer: Answer, diagnostic: Diagnostic): HTMLElement {
    const [first, ...others] = diagnostic.labels;
    const button = element(
      "button",
      { type: "button", class: "problem", "data-testid": "problem", tabindex: "-1" },
      element("span", { class: `severity ${diagnostic.severity}` }, diagnostic.severity),
      element("span", { class: "message" }, ...prose(diagnostic.message)),
      element("span", { class: "rule" }, diagnostic.rule),
      element("span", { class: "location" }, first ? this.#location(answer, first) : ""),
    );
    const doc = first && docOf(answer.snapshot, first.origin);
    if (doc) button.addEventListener("click", () => this.jump(doc, first.range.start.offset));
    const row = element("li", { class: diagnostic.severity }, button);
    const more = element("div", { class: "more" });
    for (const label of others) {
      const at = docOf(answer.snapshot, label.origin);
      if (!at) continue;
      const link = element("button", { type: "button", class: "link" }, this.#location(answer, label));
      link.addEventListener("click", () => this.jump(at, label.range.start.offset));
      more.append(element("span", {}, ...prose(label.message || "see also"), " ", link));
    }
    if (diagnostic.help) more.append(element("span", { class: "help" }, ...prose(diagnostic.help)));
    for (const fix of diagnostic.fixes) {
      const button = element("button", { type: "button", class: "fix", "data-testid": "fix" }, ...prose(capitalized(fix.title)));
      button.addEventListener("click", () => this.fix(fix));
      more.append(button);
    }
    if (more.childNodes.length > 0) row.append(more);
    return row;
  }

  #location(answer: Answer, { origin, range: { start } }: Label): string {
    const doc = docOf(answer.snapshot, origin);
    return doc ? `${doc.path}:${start.line}:${start.column}` : "";
  }
}
