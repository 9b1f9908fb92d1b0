/** What is different on a phone, and without scripts. */
import { chromium } from "playwright-core";
import { expect, inject } from "vitest";
import { packed } from "./driver/link";
import { address, test } from "./driver/visit";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const MANY = Array.from({ length: 80 }, (_, n) => `k${n}: 1\n`).join("");
const start = (content: string) =>
  packed({
    manifests: [{ path: "a.yaml", content }],
    outputs: [{ name: "infra", path: "infra.json", content: '{"vpc_id": {"value": "vpc-0ab1"}}\n' }],
  });

test("a tap explains a reference, a value and an error, each with one tooltip", async ({ visit }) => {
  const page = await visit.open(start("a: ${infra.vpc_id}\nb: 1\n"), PHONE);
  const tooltips = page.page.locator(".cm-tooltip:visible");
  await page.manifests.editor.getByText("infra.vpc_id").tap();
  await expect.poll(() => tooltips.allInnerTexts()).toEqual([expect.stringMatching(/infra\.vpc_id string\s+vpc-0ab1\s+from infra\.json:1/)]);
  await page.manifests.editor.getByText("b").tap();
  await expect.poll(() => tooltips.count()).toBe(0);
  await page.id("pane-result").tap();
  await page.result.editor.getByText("vpc-0ab1").tap();
  await expect.poll(() => tooltips.allInnerTexts()).toEqual([expect.stringContaining("reference in a.yaml:1")]);
  await page.id("pane-manifests").tap();
  await page.manifests.write("a: ${infra.vcp_id}\n");
  await page.manifests.editor.getByText("vcp_id").tap();
  await expect.poll(() => tooltips.allInnerTexts()).toEqual([expect.stringContaining("has no output vcp_id")]);
  await page.change(() => tooltips.getByRole("button").tap());
  expect(await page.manifests.text()).toBe("a: ${infra.vpc_id}\n");
});

test("the result scrolls to the traced value when it is shown", async ({ visit }) => {
  const page = await visit.open(start(`${MANY}a: \${infra.vpc_id}\n`), PHONE);
  await page.manifests.editor.getByText("infra.vpc_id").tap();
  await page.id("pane-result").tap();
  const lit = page.result.root.locator(".lit");
  await lit.waitFor();
  const [value, pane] = [(await lit.boundingBox())!, (await page.result.root.boundingBox())!];
  expect(value.y).toBeGreaterThan(pane.y);
  expect(value.y + value.height).toBeLessThan(pane.y + pane.height);
});

for (const [what, content] of [
  ["beside a menu and warnings", 'a: ${infra.vpc_id | default("x")}\n'],
  ["beside a menu", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: net}\ndata:\n  vpc: ${vpc_id} # kpt-set: ${vpc_id}\n"],
  ["beside a fix and a count", "a: ${infra.vcp_id}\nb: ${infra.nothing}\n"],
] as const) {
  test(`the verdict has space for its words, ${what}`, async ({ visit }) => {
    const page = await visit.open(start(content), PHONE);
    const words = page.id("verdict").locator("p");
    await expect.poll(() => words.count()).toBe(1);
    expect(await words.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(1);
    const isInside = () =>
      page.id("verdict").evaluate((line) => {
        const all = [line, ...line.children].map((one) => one.getBoundingClientRect());
        return all.every(({ top, bottom, right }) => top >= all[0]!.top && bottom <= all[0]!.bottom && right <= innerWidth);
      });
    await expect.poll(isInside).toBe(true);
  });
}

test("the last row can be scrolled to where no notice is", async ({ visit }) => {
  for (const options of [PHONE, { viewport: { width: 1280, height: 800 } }]) {
    const page = await visit.open(start(Array.from({ length: 60 }, (_, n) => `k${n}: \${infra.nothing${n}}\n`).join("")), options);
    for (const name of ["b", "c", "d"]) {
      await page.manifests.drop([{ path: `${name}.yaml`, content: "a: 1\n" }]);
      await page.manifests.root.getByTestId("delete-file").click();
    }
    await page.showProblems();
    await page.page.locator("#problems-panel").evaluate((panel) => {
      panel.scrollTop = panel.scrollHeight;
      scrollTo(0, document.documentElement.scrollHeight);
    });
    const last = (await page.page.locator("#problems > li").last().boundingBox())!;
    const notices = (await page.page.locator("#notices").boundingBox())!;
    expect(notices.height).toBeGreaterThan(60);
    expect(last.y + last.height).toBeLessThanOrEqual(notices.y);
  }
});

test("without scripts, the first result can be read, and nothing empty is shown", async () => {
  const browser = await chromium.connect(inject("browser"));
  for (const width of [390, 1280]) {
    const page = await browser.newPage({ javaScriptEnabled: false, viewport: { width, height: 800 } });
    await page.goto(address);
    await page.screenshot({ path: `${process.env.LANDFALL_SCREENSHOTS}/no-scripts-${width}.png` });
    const text = await page.locator("body").innerText();
    expect(text).toContain("Editing needs JavaScript");
    expect(text).toContain('account: "012345678901"');
    expect(text).toContain("password: ••••••••");
    expect(text).not.toContain("Loading");
    expect(await page.locator("button:visible, select:visible, .pane:visible").count()).toBe(0);
    await page.close();
  }
});
