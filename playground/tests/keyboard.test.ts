/** The page can be used with the keyboard alone, and the focus is visible. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const START = packed({
  manifests: [
    { path: "a.yaml", content: "a: ${infra.vpc_id}\nb: ${infra.vcp_id | default(\"x\")}\n" },
    { path: "b.yaml", content: "b: ${infra.vcp_id}\n" },
  ],
  outputs: [{ name: "infra", path: "infra.json", content: '{"vpc_id": {"value": "vpc-0ab1"}}\n' }],
});

interface Stop {
  /** Test ids from the element outwards. */
  ids: string[];
  /** The accessible name. */
  name: string;
  isVisible: boolean;
}

/** Returns the focused element. */
async function here(page: Playground): Promise<Stop> {
  return page.page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const editor = element.closest(".cm-editor");
    const box = element.getBoundingClientRect();
    const hasOutline = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
    const label = element.getAttribute("aria-labelledby");
    const ids: string[] = [];
    for (let at: HTMLElement | null = element; at; at = at.parentElement) ids.push(at.dataset["testid"] ?? "");
    return {
      ids: ids.filter(Boolean),
      name:
        element.getAttribute("aria-label") ||
        (label && document.getElementById(label)?.textContent) ||
        (element as HTMLInputElement).labels?.[0]?.textContent ||
        element.title ||
        element.textContent ||
        "",
      isVisible: box.width > 0 && box.height > 0 && (hasOutline || boxShadow !== "none" || editor !== null),
    };
  });
}

/** Tabs through the page once; Escape leaves an editor first. */
async function walk(page: Playground): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let n = 0; n < 80; n++) {
    await page.page.keyboard.press("Escape");
    await page.page.keyboard.press("Tab");
    const stop = await here(page);
    if (stops[0] && JSON.stringify(stop) === JSON.stringify(stops[0])) return stops;
    // Between the last stop and the first one, the browser itself has the focus.
    if (stop.ids.length > 0) stops.push(stop);
  }
  throw new Error("Tab does not return to the first stop");
}

/** Presses Tab until an element with the first id, inside the others, has the focus. */
async function reach(page: Playground, ...ids: string[]): Promise<void> {
  for (let n = 0; n < 80; n++) {
    const stop = await here(page);
    if (stop.ids[0] === ids[0] && ids.every((id) => stop.ids.includes(id))) return;
    await page.page.keyboard.press("Escape");
    await page.page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${ids.join(" in ")}`);
}

test("reaches every control with Tab; each has a name and a visible focus", async ({ visit }) => {
  const page = await visit.open(START);
  await page.showProblems();
  const stops = await walk(page);
  const ids = new Set(stops.flatMap((stop) => stop.ids));
  for (const id of ["examples", "share", "theme", "tab", "manifests", "outputs", "result", "problem", "fix", "add-file"]) {
    expect(ids, `Tab reaches ${id}`).toContain(id);
  }
  expect(stops.filter((stop) => !stop.name.trim())).toEqual([]);
  expect(stops.filter((stop) => !stop.isVisible)).toEqual([]);
});

test("selects an example with the keyboard", async ({ visit }) => {
  const page = await visit.open(START);
  const before = await page.manifests.text();
  await reach(page, "examples");
  await page.page.keyboard.press("ArrowDown");
  await page.page.keyboard.press("Enter");
  await expect.poll(() => page.manifests.text()).not.toBe(before);
});

test("spells the titles of the language pages correctly", async ({ visit }) => {
  const page = await visit.open();
  const labels = await page.id("examples").locator("optgroup").last().locator("option").allTextContents();
  for (const label of ["JSON manifests", "Not YAML", "Functions", "Functions: addresses", "Block scalars"]) {
    expect(labels).toContain(label);
  }
  expect(labels).toEqual([...labels].sort());
});

test("moves between tabs with the arrow keys", async ({ visit }) => {
  const page = await visit.open(START);
  await reach(page, "tab", "manifests");
  await page.page.keyboard.press("ArrowRight");
  await expect.poll(() => page.manifests.text()).toBe("b: ${infra.vcp_id}\n");
  await page.page.keyboard.press("ArrowLeft");
  await expect.poll(() => page.manifests.text()).toContain("a: ${infra.vpc_id}");
});

test("goes to a problem and fixes it from the list", async ({ visit }) => {
  const page = await visit.open(START);
  // With errors, the list of problems is shown first.
  await reach(page, "problems-tab");
  await reach(page, "problem");
  await page.page.keyboard.press("Enter");
  await expect.poll(async () => (await here(page)).ids).toContain("manifests");
  await reach(page, "fix");
  const before = await page.problems.count();
  await page.page.keyboard.press("Enter");
  await page.ready();
  await expect.poll(() => page.problems.count()).toBeLessThan(before);
  // The focus is not lost.
  expect((await here(page)).ids).not.toEqual([]);
});

test("goes from problem to problem in the editor and fixes them", async ({ visit }) => {
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content: "a: ${infra.vcp_id}\r\nb: 1\r\nc: ${infra.vpc_ic}\r\n" }],
      outputs: [{ name: "infra", path: "infra.json", content: '{"vpc_id": {"value": "vpc-0ab1"}}\n' }],
    }),
  );
  const { keyboard } = page.page;
  const tooltip = page.page.locator(".cm-tooltip-lint");
  await page.manifests.editor.focus();
  // Without a problem at the cursor, Alt+Enter changes nothing.
  await keyboard.press("ControlOrMeta+End");
  await keyboard.press("Alt+Enter");
  await keyboard.press("Shift+F8");
  expect(await tooltip.textContent()).toContain("vpc_ic");
  expect(await tooltip.textContent()).toContain("Alt+Enter");
  await keyboard.press("Escape");
  await expect.poll(() => tooltip.count()).toBe(0);
  await keyboard.press("F8");
  expect(await tooltip.textContent()).toContain("vcp_id");
  await page.change(() => keyboard.press("Alt+Enter"));
  expect(await tooltip.count()).toBe(0);
  await keyboard.press("F8");
  await page.change(() => keyboard.press("Alt+Enter"));
  expect(await page.manifests.text()).toBe("a: ${infra.vpc_id}\nb: 1\nc: ${infra.vpc_id}\n");
  expect((await here(page)).ids).toContain("manifests");
});

test("moves through the substitutions, which are highlighted", async ({ visit }) => {
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content: "a: ${infra.a}\nb: ${infra.b}\n" }],
      outputs: [{ name: "infra", path: "infra.json", content: '{"a": {"value": "one"}, "b": {"value": "two"}}\n' }],
    }),
  );
  await reach(page, "substitution");
  await expect.poll(() => page.result.lit()).toEqual(["one"]);
  await page.page.keyboard.press("ArrowDown");
  await expect.poll(() => page.result.lit()).toEqual(["two"]);
});

test("announces a new number of problems to screen readers", async ({ visit }) => {
  const page = await visit.open(START);
  const count = page.id("problem-count");
  const live = await count.evaluate((element) => element.closest("[aria-live], [role=status]") !== null);
  expect(live).toBe(true);
});
