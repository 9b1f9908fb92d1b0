/** A reload, a crash and the Back button lose nothing, and secrets are not stored. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const HORSE = "correct-horse";
const OUTPUTS = `{"a": {"value": "one"}, "password": {"value": "${HORSE}", "sensitive": true}}\n`;
const LINK = packed({ manifests: [{ path: "linked.yaml", content: "a: 1\n" }], outputs: [] });

const draft = (page: Playground) => page.id("draft").textContent();
const kept = (page: Playground) => expect.poll(() => draft(page)).toMatch(/Kept in this/);
const stored = (page: Playground) => page.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

async function reload(page: Playground): Promise<void> {
  await page.page.reload();
  await page.ready();
}

test("restores work after a reload", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await page.outputs.write('{"mine": {"value": 1}}');
  await kept(page);
  await reload(page);
  expect(await page.manifests.text()).toBe("own: work\n");
  expect(await page.outputs.text()).toBe('{"mine": {"value": 1}}');
  expect((await page.notice.allTextContents()).join()).toContain("Your work was restored.");
});

test("stores an example only once it is changed", async ({ visit }) => {
  const page = await visit.open();
  expect(await draft(page)).toBe(" ");
  expect(await stored(page)).not.toContain("apiVersion");
});

test("stores neither values of sensitive outputs nor literal Secrets, and says so", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.manifests.write(`apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: ${HORSE}}\n`);
  await expect.poll(() => draft(page)).toContain("without the values of 1 sensitive output, Secret db in shop.yaml");
  expect(await stored(page)).not.toContain(HORSE);
  await reload(page);
  expect((await page.notice.allTextContents()).join()).toContain("restored without the values of 1 sensitive output");
  expect(await page.outputs.text()).toContain('"a": {"value": "one"}');
});

test("keeps secrets in the tab if the user wants that, and forgets them again", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.id("draft-secrets").click();
  await expect.poll(() => draft(page)).toContain("Kept in this tab, with secrets.");
  expect(await page.page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(HORSE);
  await reload(page);
  await page.id("show-secrets").click();
  expect(await page.outputs.text()).toBe(OUTPUTS);
  await page.id("draft-secrets").click();
  await expect.poll(() => draft(page)).toContain("without the values of 1 sensitive output");
  expect(await stored(page)).not.toContain(HORSE);
});

test("keeps the last valid state of an invalid outputs document", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await kept(page);
  await page.outputs.write(OUTPUTS.slice(0, -3));
  await expect.poll(() => draft(page)).toContain("changes to infra.json, whose secrets are unknown");
  await reload(page);
  expect(await page.outputs.text()).toContain('"a": {"value": "one"}');
  expect(await stored(page)).not.toContain(HORSE);
});

test("offers the work of another tab", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await kept(page);
  const other = await page.page.context().newPage();
  await other.goto(page.page.url());
  await other.locator("html[data-state=ready]").waitFor();
  await other.getByTestId("open-draft").click();
  await expect.poll(() => other.getByTestId("manifests").locator(".cm-line").allTextContents()).toEqual(["own: work", ""]);
});

test("a link does not replace the draft until it is changed", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await kept(page);
  await page.change(() => page.page.evaluate((hash) => void (location.hash = hash), LINK));
  await page.page.waitForTimeout(600);
  expect(await stored(page)).toContain("own: work");
});

test("Back and Forward keep what was there", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await page.change(() => page.page.evaluate((hash) => void (location.hash = hash), LINK));
  await page.manifests.write("changed: link\n");
  await page.change(() => page.page.goBack());
  expect(await page.manifests.text()).toBe("own: work\n");
  await page.change(() => page.page.goForward());
  expect(await page.manifests.text()).toBe("changed: link\n");
});

test("a reload after sharing keeps the secrets of the tab", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.id("draft-secrets").click();
  await expect.poll(() => draft(page)).toContain("with secrets");
  await page.link();
  await reload(page);
  await page.id("show-secrets").click();
  expect(await page.outputs.text()).toBe(OUTPUTS);
});

test("works where the browser refuses its storage", async ({ visit }) => {
  const page = await visit.open();
  await page.page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    }
  });
  await reload(page);
  await page.manifests.write("own: work\n");
  expect(await page.result.text()).toBe("own: work\n");
  await expect.poll(() => draft(page)).toContain("keeps no drafts");
});
