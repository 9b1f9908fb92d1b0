/** A reload, a crash and the Back button lose nothing, and secrets are not stored. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { address, test } from "./driver/visit";

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
  await page.page.waitForTimeout(600);
  expect(await draft(page)).toBe(" ");
  expect(await stored(page)).not.toContain("apiVersion");
  await page.manifests.write("apiVersion: v1\n");
  await expect.poll(() => stored(page)).toContain("apiVersion");
});

test("stores neither values of sensitive outputs nor literal Secrets, and says so", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.manifests.write(`apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: ${HORSE}}\n`);
  await expect.poll(() => draft(page)).toMatch(/^Not kept: shop\.yaml\. Kept in this browser without the values of 1 sensitive output, shop\.yaml, which has Secret db in plain text/);
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

test("offers what the tab has kept with its secrets, and keeps it so", async ({ visit }) => {
  const page = await visit.open();
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: ${HORSE}}\n`;
  await page.manifests.write(secret);
  await page.id("draft-secrets").click();
  await expect.poll(() => draft(page)).toContain("Kept in this tab, with secrets.");
  await page.page.goto("about:blank");
  await page.page.goto(address);
  await page.ready();
  await page.change(() => page.id("open-draft").click());
  expect(await page.manifests.text()).toBe(secret);
  await expect.poll(() => draft(page)).toContain("Kept in this tab, with secrets.");
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
  expect(await stored(page)).not.toContain("linked.yaml");
  expect(await draft(page)).toBe(" ");
});

test("an example that replaces work and is edited does not replace its draft", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await kept(page);
  await page.change(() => page.id("examples").selectOption({ label: "Karpenter" }));
  await page.manifests.write("edited: example\n");
  await expect.poll(() => stored(page)).toContain("edited: example");
  expect(await stored(page)).toContain("own: work");
  await reload(page);
  expect(await page.manifests.text()).toBe("edited: example\n");
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

test("a link that is opened in the same tab and edited does not replace the draft", async ({ visit }) => {
  const page = await visit.open();
  const { origin, pathname } = new URL(page.page.url());
  await page.manifests.write("own: work\n");
  await kept(page);
  await page.page.goto("about:blank");
  await page.page.goto(`${origin}${pathname}${LINK}`);
  await page.ready();
  await page.manifests.write("changed: link\n");
  await kept(page);
  expect(await stored(page)).toContain("own: work");
  await page.page.goBack();
  await page.page.goBack();
  await page.ready();
  await expect.poll(() => page.manifests.text()).toBe("own: work\n");
});

test("Back after a reload shows the draft", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await kept(page);
  await page.change(() => page.page.evaluate((hash) => void (location.hash = hash), LINK));
  await reload(page);
  expect(await page.manifests.text()).toBe("a: 1\n");
  await page.page.goBack();
  await expect.poll(() => page.manifests.text()).toBe("own: work\n");
});

for (const [what, hash] of [["the skip link", "#manifests"], ["a broken link", "#v9=xx"]] as const) {
  test(`a reload after ${what} restores the work`, async ({ visit }) => {
    const page = await visit.open();
    await page.manifests.write("own: work\n");
    await kept(page);
    await page.page.evaluate((hash) => history.replaceState(history.state, "", hash), hash);
    await reload(page);
    expect(await page.manifests.text()).toBe("own: work\n");
  });
}

test("a copy of the tab has a draft of its own", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await kept(page);
  const state = await page.page.evaluate(() => history.state as unknown);
  const copy = await page.page.context().newPage();
  // As a duplicated tab: the same entry of the history.
  await copy.addInitScript((state) => history.replaceState(state, ""), state);
  await copy.goto(page.page.url());
  await copy.locator("html[data-state=ready]").waitFor();
  await expect.poll(() => copy.getByTestId("manifests").locator(".cm-line").allTextContents()).toEqual(["own: work", ""]);
  await copy.getByTestId("manifests").locator(".cm-content").focus();
  await copy.keyboard.press("ControlOrMeta+a");
  await copy.keyboard.insertText("copy: 1\n");
  await expect.poll(() => copy.evaluate(() => localStorage.getItem("landfall.drafts"))).toContain("copy: 1");
  expect(await stored(page)).toContain("own: work");
});

test("placeholders are not taken for secrets", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.manifests.write("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  p: ${infra.password}\n");
  await expect.poll(() => stored(page)).toContain("${infra.password}");
  await reload(page);
  const placeholders = "with placeholders instead of 1 value that is not here";
  expect(await page.id("verdict").textContent()).toContain(placeholders);
  const link = await page.link();
  const other = await visit.open(new URL(link).hash);
  expect(await other.id("verdict").textContent()).toContain(placeholders);
  expect((await other.notice.allTextContents()).join()).toContain("placeholders instead of the values of 1 sensitive output");
  await other.outputs.write(OUTPUTS);
  expect(await other.id("verdict").textContent()).not.toContain("placeholders");
});

test("keeps the newest draft where older ones fill the storage", async ({ visit }) => {
  const page = await visit.open();
  await page.page.evaluate(() => localStorage.setItem("others", "x".repeat(5_100_000)));
  await page.manifests.write(`own: work # ${"y".repeat(60_000)}\n`);
  await expect.poll(() => draft(page)).toMatch(/Kept in this browser|keeps no drafts/);
  await page.page.evaluate(() => localStorage.removeItem("others"));
  await page.manifests.write("own: work\n");
  await expect.poll(() => stored(page)).toContain("own: work");
});

test("one filled placeholder does not make the others values", async ({ visit }) => {
  const outputs = JSON.stringify({ a: { value: "first-horse", sensitive: true }, b: { value: "second-horse", sensitive: true } });
  const page = await visit.open();
  await page.outputs.write(outputs);
  await page.manifests.write("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: '${infra.a}', b: '${infra.b}'}\n");
  const link = await page.link();
  const other = await visit.open(new URL(link).hash);
  await other.outputs.write(outputs.replace("second-horse", "(sensitive)"));
  await expect.poll(() => other.id("verdict").textContent()).toContain("placeholders");
  await other.outputs.write(outputs);
  await expect.poll(() => other.id("verdict").textContent()).not.toContain("placeholders");
});
