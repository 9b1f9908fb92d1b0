/** The table of substitutions: moving to a row highlights the substitution in all panes. */
import type { Substitution } from "landfall";
import { cellsOf, docsOf, formatCount, type Answer } from "../answer";
import { byId, element, roving } from "../dom";
import type { Provenance } from "../provenance";
import type { Doc } from "../state";

/** The number of rows that are shown at first. */
const FIRST = 100;
/** The number of rows that "Show more" adds. */
const MORE = 1000;

export class Substitutions {
  #body = byId("substitution-rows");
  #more = byId<HTMLButtonElement>("substitutions-more");
  #answer: Answer | undefined;
  #count = FIRST;

  constructor(
    readonly provenance: Provenance,
    readonly jump: (doc: Doc, offset: number) => void,
  ) {
    roving(this.#body, () => this.#rows(), true);
    this.#more.addEventListener("click", () => {
      this.#count += MORE;
      this.#draw();
    });
    provenance.listen((lit, by) => {
      const [first = 0] = lit;
      // Shows the row of a substitution that is highlighted elsewhere.
      if (first >= this.#count && first < (this.#answer?.substitutions.length ?? 0)) {
        this.#count = first + FIRST;
        this.#draw();
      }
      const isLit = new Set(lit);
      for (const row of this.#rows()) {
        const is = isLit.has(Number(row.dataset["nth"]));
        row.classList.toggle("lit", is);
        row.setAttribute("aria-selected", String(is));
      }
      if (by !== "table" && by !== "row" && by !== "page" && by !== "open") this.#body.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
    });
  }

  /** Shows the substitutions of an answer; scrolls to the highlighted row if a workspace was just opened. */
  update(answer: Answer | undefined, isJustOpened: boolean): void {
    this.#answer = answer;
    const [first = 0] = this.provenance.lit;
    this.#count = Math.max(FIRST, first + 1);
    byId("substitutions-tab").querySelector(".count")!.textContent = formatCount(answer?.substitutions.length ?? 0);
    this.#draw();
    // Scrolls only the panel and not the page.
    const row = this.#body.querySelector<HTMLElement>(".lit");
    if (isJustOpened && row) byId("substitutions-panel").scrollTop = row.offsetTop - 2 * row.offsetHeight;
  }

  #rows(): HTMLElement[] {
    return [...this.#body.querySelectorAll<HTMLElement>("tr")];
  }

  #draw(): void {
    const focused = this.#rows().indexOf(document.activeElement as HTMLElement);
    const all = this.#answer?.substitutions ?? [];
    const isLit = new Set(this.provenance.lit);
    const rows = all.slice(0, this.#count).map((one, nth) => this.#row(one, nth, isLit.has(nth)));
    this.#body.replaceChildren(...rows);
    const stop = rows[Math.max(0, focused)] ?? rows[0];
    if (stop) stop.tabIndex = 0;
    if (focused >= 0) stop?.focus();
    this.#more.hidden = all.length <= this.#count;
    this.#more.textContent = `Show more (${this.#count} of ${all.length} shown)`;
  }

  #row(one: Substitution, nth: number, isLit: boolean): HTMLElement {
    const { snapshot } = this.#answer!;
    const { manifests: manifest } = docsOf(snapshot, one);
    const cells = Object.entries(cellsOf(snapshot, one)).map(([name, text]) => element("td", { role: "gridcell", class: name, title: text }, text));
    const row = element(
      "tr",
      { role: "row", tabindex: "-1", "data-testid": "substitution", "data-nth": String(nth) },
      ...cells,
    );
    row.classList.toggle("lit", isLit);
    row.setAttribute("aria-selected", String(isLit));
    const jump = () => {
      if (manifest) this.jump(manifest, one.source.start.offset);
    };
    row.addEventListener("focus", () => this.provenance.point([nth], "row"));
    row.addEventListener("mousemove", (event) => {
      // Browsers also send this event when the table moves under a resting mouse.
      if (event.movementX !== 0 || event.movementY !== 0) this.provenance.point([nth], "table");
    });
    row.addEventListener("dblclick", jump);
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") jump();
    });
    return row;
  }
}
