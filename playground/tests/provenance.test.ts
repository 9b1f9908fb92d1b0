/** Tracing a value to its output, and an output to its values. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

declare global {
  interface Window {
    measured?: number;
  }
}

const START = packed({
  manifests: [{ path: "a.yaml", content: "😀: 1\na: x-${infra.vpc_id}-y\nb: ${infra.zones}\n" }],
  outputs: [
    {
      name: "infra",
      path: "infra.json",
      content: '{\n  "vpc_id": {"value": "vpc-0ab1"},\n  "zones": {"value": ["z1", "z2"]}\n}\n',
    },
  ],
});

test("highlights the reference and the output of a value under the mouse", async ({ visit }) => {
  const page = await visit.open(START);
  await page.result.point("vpc-0ab1");
  await expect.poll(() => page.manifests.lit()).toEqual(["${infra.vpc_id}"]);
  expect((await page.outputs.lit()).join("")).toContain("vpc_id");
  expect(await page.result.lit()).toEqual(["vpc-0ab1"]);
});

test("highlights the value and the output of a reference under the mouse", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.point("infra.vpc_id");
  await expect.poll(() => page.result.lit()).toEqual(["vpc-0ab1"]);
  expect((await page.outputs.lit()).join("")).toContain("vpc_id");
});

test("highlights all references and values of an output under the mouse", async ({ visit }) => {
  const page = await visit.open(START);
  await page.outputs.point("zones");
  await expect.poll(() => page.manifests.lit()).toEqual(["${infra.zones}"]);
  expect((await page.result.lit()).join("")).toContain("z1");
});

test("highlights what is at the cursor", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.press("ArrowDown");
  for (let n = 0; n < 10; n++) await page.page.keyboard.press("ArrowRight");
  await expect.poll(() => page.result.lit()).toEqual(["vpc-0ab1"]);
});

test("lists every substitution in a table, and highlights the focused one", async ({ visit }) => {
  const page = await visit.open(START);
  expect(await page.substitutions.count()).toBe(2);
  const first = page.substitutions.first();
  for (const word of ["a.yaml:2:", "infra.vpc_id", "string", "vpc-0ab1"]) {
    expect(await first.textContent()).toContain(word);
  }
  await first.focus();
  await expect.poll(() => page.result.lit()).toEqual(["vpc-0ab1"]);
  expect(await page.manifests.lit()).toEqual(["${infra.vpc_id}"]);
  expect((await page.outputs.lit()).join("")).toContain("vpc_id");
});

test("shows the trace of one value on a phone, but no sensitive value", async ({ visit }) => {
  const outputs = { user: { value: "ada" }, password: { sensitive: true, value: "correct-horse" } };
  const page = await visit.open(
    packed({
      manifests: [
        {
          path: "a.yaml",
          content:
            "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  url: ${infra.user}:${infra.password}\n  user: ${infra.user}\n",
        },
      ],
      outputs: [{ name: "infra", path: "infra.json", content: JSON.stringify(outputs) }],
    }),
    { viewport: { width: 390, height: 844 } },
  );
  const trace = page.id("trace");
  for (const [nth, value] of [[0, "ada"], [1, "(sensitive)"], [2, "ada"]] as const) {
    await page.substitutions.nth(nth).focus();
    await expect.poll(() => page.page.locator("#trace-result mark").textContent()).toBe(value);
    expect(await trace.textContent()).not.toContain("correct-horse");
  }
  await page.manifests.write("a: ${infra.nope}\n");
  expect(await trace.getAttribute("class")).toContain("old");
});

const MANY = packed({
  manifests: [{ path: "a.yaml", content: Array.from({ length: 150 }, (_, n) => `k${n}: \${infra.vpc_id}\n`).join("") }],
  outputs: [{ name: "infra", path: "infra.json", content: '{"vpc_id": {"value": "vpc-0ab1"}}' }],
});

test("lists the first of many substitutions, and more on demand", async ({ visit }) => {
  const page = await visit.open(MANY);
  const more = page.page.locator("#substitutions-more");
  expect(await page.substitutions.count()).toBe(100);
  expect(await more.textContent()).toContain("100 of 150");
  await more.click();
  expect(await page.substitutions.count()).toBe(150);
  expect(await more.isHidden()).toBe(true);
});

test("adds the highlighted substitution to the table, and keeps it highlighted during typing", async ({ visit }) => {
  const page = await visit.open(MANY);
  const lit = () => page.page.locator("tr.lit .location").allTextContents();
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+End");
  for (let n = 0; n < 3; n++) await page.page.keyboard.press("ArrowLeft");
  await expect.poll(lit).toEqual(["a.yaml:150:7"]);
  await page.page.keyboard.press("Home");
  await page.change(() => page.page.keyboard.insertText("_"));
  expect(await lit()).toEqual(["a.yaml:150:8"]);
});

const TWO_FILES = packed({
  manifests: [
    { path: "a.yaml", content: "a: ${infra.x}\n" },
    { path: "b.yaml", content: "b: ${infra.x}\n" },
  ],
  outputs: [{ name: "infra", path: "infra.json", content: '{"x": {"value": "vpc-0ab1"}}\n' }],
});

test("highlights a row under the mouse without opening its file", async ({ visit }) => {
  const page = await visit.open(TWO_FILES);
  const row = (await page.substitutions.nth(1).boundingBox())!;
  await page.page.mouse.move(row.x + 20, row.y + row.height / 2);
  await page.page.mouse.move(row.x + 24, row.y + row.height / 2);
  await expect.poll(() => page.substitutions.nth(1).getAttribute("aria-selected")).toBe("true");
  expect(await page.manifests.text()).toContain("a: ");
});

test("typing stays in the same file while the mouse rests over the table", async ({ visit }) => {
  const page = await visit.open(TWO_FILES);
  const row = (await page.substitutions.nth(1).boundingBox())!;
  await page.page.mouse.move(row.x + 20, row.y + row.height / 2);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  // Each new row moves the rows below it under the mouse.
  for (let n = 0; n < 4; n++) {
    await page.page.keyboard.insertText(`n${n}: \${infra.x}\n`);
    await page.ready();
  }
  expect(await page.manifests.text()).toBe("n0: ${infra.x}\nn1: ${infra.x}\nn2: ${infra.x}\nn3: ${infra.x}\na: ${infra.x}\n");
});

test("opens the file of a selected row", async ({ visit }) => {
  const page = await visit.open(TWO_FILES);
  await page.substitutions.nth(1).focus();
  await expect.poll(() => page.manifests.text()).toContain("b: ");
});

test("measures only visible text when an output has thousands of references", async ({ visit }) => {
  let content = "";
  for (let n = 0; n < 4000; n++) content += `k${n}: \${infra.x}\n`;
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content }],
      outputs: [{ name: "infra", path: "infra.json", content: '{"x": {"value": "vpc-0ab1"},\n "y": {"value": "other"}}\n' }],
    }),
  );
  await page.page.evaluate(() => {
    const asked = Range.prototype.getClientRects;
    window.measured = 0;
    Range.prototype.getClientRects = function () {
      window.measured = (window.measured ?? 0) + 1;
      return asked.call(this);
    };
  });
  await page.substitutions.nth(3).hover();
  await page.outputs.point("x");
  await expect.poll(async () => (await page.outputs.lit()).join("")).toContain("x");
  await expect.poll(() => page.page.locator("#connectors path[marker-end]").count()).toBeGreaterThan(1);
  expect(await page.page.evaluate(() => window.measured)).toBeLessThan(2000);
});
