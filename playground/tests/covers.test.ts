/** The values of sensitive outputs are covered everywhere until the user has them shown. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const HORSE = "correct-horse";
const INFRA = `{
  "vpc_id": {"value": "vpc-0ab1"},
  "password": {"value": "${HORSE}", "sensitive": true},
  "nested": {"value": {"inner": ["staple"]}, "sensitive": true}
}
`;
const SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  p: ${infra.password}\n  v: ${infra.vpc_id}\n";
const start = (outputs = INFRA) =>
  packed({ manifests: [{ path: "s.yaml", content: SECRET }], outputs: [{ name: "infra", path: "infra.json", content: outputs }] });

/** All text that can be seen. */
const seen = (page: Playground) => page.page.evaluate(() => document.body.innerText);

test("covers values of sensitive outputs, used or not, in the outputs and in the result", async ({ visit }) => {
  const page = await visit.open(start());
  await expect.poll(() => page.outputs.root.locator(".cover").count()).toBe(2);
  expect(await page.result.root.locator(".cover").count()).toBe(1);
  for (const secret of [HORSE, "staple"]) expect(await seen(page)).not.toContain(secret);
  expect(await seen(page)).toContain("vpc-0ab1");
  await page.id("result-diff").click();
  expect(await seen(page)).not.toContain(HORSE);
});

test("shows them on request, and covers them again", async ({ visit }) => {
  const page = await visit.open(start());
  await page.id("show-secrets").click();
  expect(await page.outputs.text()).toBe(INFRA);
  expect(await page.result.text()).toContain(HORSE);
  await page.id("show-secrets").click();
  expect(await seen(page)).not.toContain(HORSE);
  await page.result.root.locator(".cover").click();
  expect(await page.result.text()).toContain(HORSE);
});

test("has no button where nothing is sensitive", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write('{"a": {"value": "one"}}');
  await expect.poll(() => page.id("show-secrets").isVisible()).toBe(false);
});

test("covers pasted values, and keeps what is around them editable", async ({ visit }) => {
  const page = await visit.open(start("{}"));
  await page.outputs.paste(INFRA);
  await expect.poll(() => seen(page)).not.toContain(HORSE);
  await page.outputs.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.change(() => page.page.keyboard.type("\n"));
  expect(await seen(page)).not.toContain(HORSE);
  const files = await page.download();
  expect(files.get("outputs/infra.json")?.toString()).toBe(`\n${INFRA}`);
});

test("does not cover a value while it is typed", async ({ visit }) => {
  const page = await visit.open(start('{"password": {"sensitive": true, "value": ""}}'));
  await page.outputs.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+End");
  for (let n = 0; n < 3; n++) await page.page.keyboard.press("ArrowLeft");
  await page.page.keyboard.type("hunter2", { delay: 20 });
  await page.page.waitForTimeout(700);
  expect(await page.outputs.text()).toContain('"hunter2"');
  await page.manifests.editor.focus();
  await page.outputs.editor.press("ControlOrMeta+Home");
  await expect.poll(() => page.outputs.text()).not.toContain("hunter2");
});

test("blurs an invalid document that was brought, until it is shown or read", async ({ visit }) => {
  const page = await visit.open(start(INFRA.slice(0, -3)));
  const blurred = page.outputs.root.locator(".unjudged .cm-content");
  await expect.poll(() => blurred.count()).toBe(1);
  const filter = () => blurred.evaluate((element) => getComputedStyle(element).filter);
  expect(await filter()).toMatch(/blur/);
  await page.id("show-secrets").click();
  expect(await filter()).toBe("none");
  await page.outputs.write(INFRA);
  await expect.poll(() => blurred.count()).toBe(0);
});
