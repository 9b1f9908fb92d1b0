/** The panes and the lists can be resized, and long lines wrapped; the browser remembers both. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const width = async (page: Playground, name: "outputs" | "manifests" | "result") => (await page.pane(name).root.boundingBox())!.width;
const height = async (page: Playground) => (await page.page.locator("#lists").boundingBox())!.height;

/** Drags a divider from its middle. */
async function drag(page: Playground, name: string, x: number, y: number): Promise<void> {
  const box = (await page.id(`divider-${name}`).boundingBox())!;
  const { mouse } = page.page;
  const [fromX, fromY] = [box.x + box.width / 2, box.y + box.height / 2];
  await mouse.move(fromX, fromY);
  await mouse.down();
  await mouse.move(fromX + x / 2, fromY + y / 2);
  await mouse.move(fromX + x, fromY + y);
  await mouse.up();
}

/** Returns where the lines between the panes end, and where the highlighted values are. */
const ends = (page: Playground) =>
  page.page.evaluate(() => {
    const paths = [...document.querySelectorAll<SVGPathElement>("#connectors g path")];
    const panes = document.getElementById("panes")!.getBoundingClientRect();
    const lit = ["manifests", "result"].map((id) => document.querySelector(`#${id} .lit`)!.getBoundingClientRect());
    return {
      lines: paths.map((path) => path.getPointAtLength(path.getTotalLength()).y + panes.y),
      lit: lit.map(({ y, height }) => y + height / 2),
    };
  });

test("resizes the panes with the mouse; the lines between them follow", async ({ visit }) => {
  const page = await visit.open();
  const before = [await width(page, "outputs"), await width(page, "manifests"), await width(page, "result")] as const;
  await drag(page, "outputs", -80, 0);
  expect(Math.abs((await width(page, "outputs")) - (before[0] - 80))).toBeLessThan(20);
  expect(await width(page, "manifests")).toBeGreaterThan(before[1] + 60);
  expect(Math.abs((await width(page, "result")) - before[2])).toBeLessThan(5);
  const left = (await page.manifests.root.boundingBox())!.x;
  const panes = (await page.page.locator("#panes").boundingBox())!;
  await expect
    .poll(() => page.page.locator("#connectors g path").evaluateAll((paths) => paths.map((path) => (path as SVGPathElement).getPointAtLength(1e5).x)))
    .toContainEqual(expect.closeTo(left - panes.x + 2, 0));
  // A pane never disappears.
  await drag(page, "manifests", 2000, 0);
  expect(await width(page, "result")).toBeGreaterThan(150);
  await page.id("divider-outputs").dblclick();
  await page.id("divider-manifests").dblclick();
  expect(await width(page, "outputs")).toBeCloseTo(before[0], -1);
  expect(await width(page, "result")).toBeCloseTo(before[2], -1);
});

test("resizes the lists with a finger", async ({ visit }) => {
  const page = await visit.open("", { hasTouch: true, viewport: { width: 1024, height: 768 } });
  const before = await height(page);
  const box = (await page.id("divider-lists").boundingBox())!;
  const devtools = await page.page.context().newCDPSession(page.page);
  const touch = (type: string, y: number) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: 500, y }] } as never);
  await touch("touchStart", box.y + 6);
  await touch("touchMove", box.y - 30);
  await touch("touchMove", box.y - 94);
  await touch("touchEnd", 0);
  expect(Math.abs((await height(page)) - (before + 100))).toBeLessThan(10);
});

test("resizes with the keyboard, and says the size", async ({ visit }) => {
  const page = await visit.open();
  for (const [name, key, back] of [["outputs", "ArrowRight", "ArrowLeft"], ["manifests", "ArrowRight", "ArrowLeft"], ["lists", "ArrowUp", "ArrowDown"]] as const) {
    const divider = page.id(`divider-${name}`);
    const now = async () => Number(await divider.getAttribute("aria-valuenow"));
    const at = await now();
    await divider.focus();
    await page.page.keyboard.press(key);
    expect(await now()).toBe(at + 2);
    await page.page.keyboard.press(back);
    expect(await now()).toBe(at);
    await page.page.keyboard.press("End");
    expect(await now()).toBe(Number(await divider.getAttribute("aria-valuemax")));
    await page.page.keyboard.press("Enter");
    expect(await now()).toBe(at);
  }
});

test("remembers the sizes, and nothing moves when the page is loaded with them", async ({ visit }) => {
  const page = await visit.open();
  await drag(page, "outputs", 90, 0);
  await drag(page, "lists", 0, -90);
  const [columns, lists] = [await width(page, "outputs"), await height(page)];
  await page.page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { sources = [] } of list.getEntries() as (PerformanceEntry & { sources?: { node: Element }[] })[]) {
        for (const { node } of sources) if (node.matches?.("main > *, .pane, .head")) window.shifts!.push(`${node.id} moved`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.page.reload();
  await page.ready();
  expect(await width(page, "outputs")).toBeCloseTo(columns, 0);
  expect(await height(page)).toBeCloseTo(lists, 0);
  await page.page.waitForTimeout(500);
  expect(await page.page.evaluate(() => window.shifts)).toEqual([]);
});

test("has one pane at a time on a phone, whatever sizes are stored", async ({ visit }) => {
  const page = await visit.open("", { viewport: { width: 390, height: 844 } });
  const sizes = async () => [await width(page, "manifests"), await height(page)];
  const before = await sizes();
  await page.page.evaluate(() => localStorage.setItem("landfall-sizes", "[20,40,50]"));
  await page.page.reload();
  await page.ready();
  expect(await sizes()).toEqual(before);
  expect(await page.page.locator(".divider:visible").count()).toBe(0);
});

test("wraps long lines in all panes, by click and by key, and remembers it", async ({ visit }) => {
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content: `a: ${"word ".repeat(60)}\nb: \${infra.vpc_id}\nc: ${"x".repeat(300)}\nd: \${infra.vpc_id}\n` }],
      outputs: [{ name: "infra", path: "infra.json", content: '{"vpc_id": {"value": "vpc-0ab1"}}\n' }],
    }),
  );
  const overflow = () =>
    page.page.locator(".cm-scroller").evaluateAll((all) => all.map((one) => one.scrollWidth > one.clientWidth));
  expect(await overflow()).toEqual([false, true, true]);
  await page.id("wrap").click();
  await expect.poll(overflow).toEqual([false, false, false]);
  // The connectors are where the values are now.
  await expect.poll(async () => {
    const { lines, lit } = await ends(page);
    return lines.length > 0 && lines.every((y) => lit.some((at) => Math.abs(at - y) < 4));
  }).toBe(true);
  await page.page.reload();
  await page.ready();
  await expect.poll(overflow).toEqual([false, false, false]);
  await page.id("result-diff").click();
  await page.result.root.locator(".removed").first().waitFor();
  expect(await overflow()).toEqual([false, false, false]);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("Alt+z");
  expect(await page.id("wrap").getAttribute("aria-pressed")).toBe("false");
  await expect.poll(overflow).toEqual([false, true, true]);
});
