/** Where a value came from, and where an output went. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

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

test("pointing at a value lights up its reference and its output", async ({ visit }) => {
  const page = await visit.open(START);
  await page.result.point("vpc-0ab1");
  await expect.poll(() => page.manifests.lit()).toEqual(["${infra.vpc_id}"]);
  expect((await page.outputs.lit()).join("")).toContain("vpc_id");
  expect(await page.result.lit()).toEqual(["vpc-0ab1"]);
});

test("pointing at a reference lights up its value and its output", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.point("infra.vpc_id");
  await expect.poll(() => page.result.lit()).toEqual(["vpc-0ab1"]);
  expect((await page.outputs.lit()).join("")).toContain("vpc_id");
});

test("pointing at an output lights up all that it became", async ({ visit }) => {
  const page = await visit.open(START);
  await page.outputs.point("zones");
  await expect.poll(() => page.manifests.lit()).toEqual(["${infra.zones}"]);
  expect((await page.result.lit()).join("")).toContain("z1");
});

test("the cursor does what pointing does", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.press("ArrowDown");
  for (let n = 0; n < 10; n++) await page.page.keyboard.press("ArrowRight");
  await expect.poll(() => page.result.lit()).toEqual(["vpc-0ab1"]);
});

test("every substitution stands in a table, and focusing one lights up all three", async ({ visit }) => {
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
