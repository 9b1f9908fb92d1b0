/** The values of sensitive outputs are covered everywhere until the user has them shown. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

declare global {
  interface Window {
    /** In how many frames the result had the secret. */
    leaks?: number;
  }
}

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

test("covers an invalid document that was brought, until it is shown or read", async ({ visit }) => {
  const broken = INFRA.slice(0, -3);
  const page = await visit.open(start(broken));
  await expect.poll(() => page.outputs.root.locator(".cover").count()).toBe(1);
  expect(await page.outputs.text()).toBe("••••••••");
  await page.id("show-secrets").click();
  expect(await page.outputs.text()).toBe(broken);
});

/** Breaks the outputs document, so that nothing is rendered any more. */
const BREAKS: [string, (page: Playground) => Promise<void>][] = [
  ["an error in the manifest", (page) => page.manifests.write(`${SECRET}  x: \${infra.nope}\n`)],
  [
    "an error in the outputs",
    async (page) => {
      await page.outputs.editor.focus();
      await page.page.keyboard.press("ControlOrMeta+End");
      await page.change(() => page.page.keyboard.type("x"));
    },
  ],
];
for (const [what, make] of BREAKS) {
  test(`keeps values covered after ${what}, in every view and tab`, async ({ visit }) => {
    const manifests = [{ path: "s.yaml", content: SECRET }, { path: "t.yaml", content: SECRET }];
    const page = await visit.open(packed({ manifests, outputs: [{ name: "infra", path: "infra.json", content: INFRA }] }));
    await expect.poll(() => page.outputs.root.locator(".cover").count()).toBe(2);
    await make(page);
    const check = async () => {
      await page.page.waitForTimeout(500);
      for (const secret of [HORSE, "staple"]) expect(await seen(page)).not.toContain(secret);
    };
    await check();
    await page.id("result-diff").click();
    await check();
    await page.manifests.tabs.nth(1).click();
    await check();
  });
}

test("covers what an undo brings back into an invalid document", async ({ visit }) => {
  const page = await visit.open(start());
  await expect.poll(() => page.outputs.root.locator(".cover").count()).toBe(2);
  await page.outputs.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+End");
  await page.change(() => page.page.keyboard.type("x"));
  await page.page.keyboard.press("ControlOrMeta+a");
  await page.change(() => page.page.keyboard.press("Delete"));
  await page.change(() => page.page.keyboard.press("ControlOrMeta+z"));
  await page.page.waitForTimeout(500);
  expect(await seen(page)).not.toContain(HORSE);
});

for (const [what, bring] of [
  ["dropped", (page: Playground) => page.outputs.drop([{ path: "infra.json", content: INFRA.slice(0, -3) }])],
  ["pasted", (page: Playground) => page.outputs.paste(INFRA.slice(0, -3))],
] as const) {
  test(`covers an invalid document that is ${what} over a valid one`, async ({ visit }) => {
    const page = await visit.open(start('{"vpc_id": {"value": "vpc-1"}}'));
    await page.page.waitForTimeout(300);
    await bring(page);
    await page.page.waitForTimeout(600);
    expect(await seen(page)).not.toContain(HORSE);
  });
}

test("covers a long result until its substitutions are known", async ({ visit }) => {
  const long = "# a comment that is not read\n".repeat(8000);
  const manifests = [{ path: "s.yaml", content: SECRET + long }];
  const page = await visit.open(packed({ manifests, outputs: [{ name: "infra", path: "infra.json", content: INFRA }] }));
  await page.page.evaluate(() => {
    window.leaks = 0;
    const look = () => {
      if (document.querySelector("[data-testid=result]")?.textContent?.includes("correct-horse")) window.leaks!++;
      requestAnimationFrame(look);
    };
    look();
  });
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.type("##########", { delay: 50 });
  await page.page.keyboard.insertText("\n");
  await page.ready();
  expect(await page.page.evaluate(() => window.leaks)).toBe(0);
  expect(await page.result.text()).toContain("vpc-0ab1");
});
