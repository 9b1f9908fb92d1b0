/** Nothing overlaps and nothing is cut off, in each story and at each width; with pictures for review. */
import { join } from "node:path";
import { expect } from "vitest";
import { stories } from "../src/stories";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

/** Returns what is wrong with the layout, in words. */
const faults = (page: Playground) =>
  page.page.evaluate(() => {
    const found: string[] = [];
    const isShown = (one: Element) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, .skip, dialog");
    const called = (one: Element) => `${one.tagName.toLowerCase()} ${one.id || one.className} "${one.textContent!.trim().slice(0, 30)}"`;
    /** The part that is visible where something around it scrolls. */
    const visible = (one: Element) => {
      let { left, top, right, bottom } = one.getBoundingClientRect();
      for (let at = one.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow === "visible") continue;
        const outer = at.getBoundingClientRect();
        [left, top, right, bottom] = [Math.max(left, outer.left), Math.max(top, outer.top), Math.min(right, outer.right), Math.min(bottom, outer.bottom)];
      }
      return { left, top, right, bottom };
    };
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const controls = [...document.querySelectorAll("button, select, a, .divider, h2, #result-path")].filter(isShown).map((one) => ({ one, box: visible(one) }));
    for (const { one, box } of controls) {
      if (box.left < 0 || box.right > innerWidth + 0.5) found.push(`${called(one)} is outside the window`);
      for (const { one: other, box: its } of controls) {
        if (one === other || one.contains(other) || other.contains(one)) continue;
        const width = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const height = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (width > 1 && height > 1) found.push(`${called(one)} overlaps ${called(other)}`);
      }
    }
    for (const one of document.querySelectorAll("button, h1, h2, h2 small, .switch small, .lead, [role=tab], th, td.type")) {
      const isCut = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline";
      if (isShown(one) && isCut) found.push(`${called(one)} is cut off`);
    }
    return found;
  });

for (const story of Object.keys(stories)) {
  test(`nothing overlaps or is cut off: ${story}`, { timeout: 60_000 }, async ({ visit }) => {
    for (const width of [390, 768, 900, 1280, 1440, 1920]) {
      const page = await visit.open(`?example=${story}`, { viewport: { width, height: 900 } });
      page.forgive(/\?example=/);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.page.emulateMedia({ colorScheme });
        if (width === 390 || width === 1440) await page.page.screenshot({ path: join(process.env.LANDFALL_SCREENSHOTS ?? "", `${story}-${width}-${colorScheme}.png`), fullPage: width === 390 });
        expect(await faults(page), `${width} px, ${colorScheme}`).toEqual([]);
      }
      await page.page.context().close();
    }
  });
}
