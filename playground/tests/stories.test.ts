/** Questions in the examples menu, and addresses that open an example. */
import { expect } from "vitest";
import { stories } from "../src/stories";
import { test } from "./driver/visit";

const QUERY = /\?example=/;

test("the address of a story opens it", async ({ visit }) => {
  for (const name of Object.keys(stories)) {
    const page = await visit.open(`?example=${name}`);
    page.forgive(QUERY);
    expect(await page.id("examples").inputValue()).toBe(name);
    expect(await page.page.locator("html").getAttribute("data-rendered")).toBe(String(name !== "password"));
    expect(await page.notice.count()).toBe(0);
  }
}, 90_000);

test("an address opens the second example of a language page", async ({ visit }) => {
  const page = await visit.open("?example=strings/2");
  page.forgive(QUERY);
  expect(await page.id("example-cases").inputValue()).toBe("1");
});

test("an unknown name gives a notice and the first example", async ({ visit }) => {
  for (const name of ["nothing", "strings/999", "constructor"]) {
    const page = await visit.open(`?example=${name}`);
    page.forgive(QUERY);
    expect(await page.notice.textContent()).toContain("There is no example");
    expect(await page.id("examples").inputValue()).toBe("first");
    expect(await page.manifests.paths()).toEqual(["shop.yaml"]);
  }
});

test("a reload keeps what was changed in a story", async ({ visit }) => {
  const page = await visit.open("?example=subnets");
  page.forgive(QUERY);
  await page.manifests.write("mine: kept\n");
  await page.page.waitForTimeout(1500);
  await page.page.reload();
  await page.ready();
  expect(await page.manifests.text()).toBe("mine: kept\n");
});

test("looks right on a phone and on a wide screen", async ({ visit }) => {
  for (const width of [390, 1440]) {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visit.open("?example=password", { viewport: { width, height: 844 }, colorScheme });
      page.forgive(QUERY);
      await page.page.screenshot({ path: `${process.env.LANDFALL_SCREENSHOTS}/story-${width}-${colorScheme}.png` });
      expect(await page.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  }
});
