/** Unexpected input that is pasted or dropped: the page stays usable and reports the problem. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const INFRA = { name: "infra", path: "infra.json", content: '{"a": {"value": "one"}}\n' };
const START = packed({ manifests: [{ path: "a.yaml", content: "a: ${infra.a}\n" }], outputs: [INFRA] });

const MB = 1024 * 1024;
/** 1 KB of manifests without a reference. */
const PLAIN = `${"plain: text of a manifest, without references\n".repeat(22)}`.padEnd(1023, "#") + "\n";

/** Checks that the page can still be used. */
async function works(page: Playground): Promise<void> {
  const words = `still ${Math.random()}`;
  await page.manifests.drop([{ path: "still.yaml", content: `a: ${words}\n` }]);
  await page.manifests.tabs.filter({ hasText: "still.yaml" }).click();
  await page.ready();
  await page.manifests.write(`a: ${words} works\n`);
  expect(await page.manifests.text()).toBe(`a: ${words} works\n`);
}

const notices = async (page: Playground): Promise<string> => (await page.notice.allTextContents()).join("\n");

test("renders a dropped document of 50 MB, and shows a note in place of the editor", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.drop([{ path: "large.yaml", content: PLAIN, times: 50 * 1024 }]);
  await page.manifests.root.getByTestId("large-file").waitFor();
  expect(await page.id("large-file").first().textContent()).toMatch(/50 MB/);
  await page.ready();
  expect(await page.problems.filter({ hasText: /error/i }).count()).toBe(0);
  await works(page);
});

test("stays usable after 50 MB are pasted", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.paste(PLAIN, 50 * 1024);
  await page.manifests.root.getByTestId("large-file").waitFor();
  await page.ready();
  await works(page);
});

test("refuses a document above the limit with a notice", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.drop([{ path: "larger.yaml", content: PLAIN, times: 65 * 1024 }]);
  await expect.poll(() => notices(page)).toMatch(/larger\.yaml/);
  expect(await notices(page)).toMatch(/64 MB/);
  await works(page);
});

test("accepts an outputs document with more than 10 MB on one line", async ({ visit }) => {
  const page = await visit.open(START);
  const head = '{"big": {"value": "';
  const content = `${head}${"x".repeat(10 * MB)}"}, "a": {"value": "two"}}`;
  await page.outputs.drop([{ path: "big.json", content }]);
  await page.ready();
  await works(page);
});

const BINARY: [string, string, string | number[]][] = [
  ["an image", "logo.png", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0xff, 0xd8]],
  ["a program", "landfall.yaml", [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]],
  ["text in UTF-16", "windows.yaml", [0xff, 0xfe, 0x61, 0, 0x3a, 0, 0x20, 0, 0x62, 0]],
  ["text in Latin-1", "latin.yaml", [0x61, 0x3a, 0x20, 0xe4, 0x0a]],
];
for (const [what, path, content] of BINARY) {
  test(`refuses ${what} with a notice`, async ({ visit }) => {
    const page = await visit.open(START);
    await page.manifests.drop([{ path, content }]);
    await expect.poll(() => notices(page)).toContain(path);
    expect(await page.manifests.tabs.count()).toBe(1);
    await works(page);
  });
}

test("reports invalid YAML with its location", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.write('a: ${infra.a}\nb: "not closed\nc: [1, 2\n');
  await expect.poll(() => page.problems.count()).toBeGreaterThan(0);
  expect(await page.problems.first().textContent()).toMatch(/a\.yaml:\d+:\d+/);
  await page.manifests.write("a: ${infra.a}\n");
  expect(await page.result.text()).toBe("a: one\n");
});

test("stays usable after invisible characters are typed", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.write("a: \u202e${infra.a}\n\tb: \u0000\n");
  await works(page);
});

test("stays responsive with 10,000 outputs", async ({ visit }) => {
  const page = await visit.open(START);
  const outputs = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`output_${n}`, { sensitive: false, type: "string", value: `v${n}` }]),
  );
  await page.outputs.drop([{ path: "many.json", content: JSON.stringify(outputs, null, 1) }]);
  await page.ready();
  const bound = /bound as (\w+)/.exec((await page.outputs.paths()).at(-1) ?? "")?.[1];
  const references = Array.from({ length: 2000 }, (_, n) => `g${n}: \${${bound}.output_${n * 3}}\n`).join("");
  await page.manifests.paste(references);
  expect(await page.result.text()).toContain("g1: v3");
  await page.manifests.write(`a: \${${bound}.outputs_9999}\n`);
  expect(await page.problems.first().textContent()).toContain("outputs_9999");
  await page.manifests.write(`a: \${${bound}.output_9999}\n`);
  expect(await page.result.text()).toBe("a: v9999\n");
  await works(page);
});

test("counts 2,000 problems and stays responsive", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.paste(Array.from({ length: 2000 }, (_, n) => `b${n}: \${infra.nothing_${n}}\n`).join(""));
  await expect.poll(() => page.id("problem-count").textContent()).toBe("2,000 errors");
  expect(await page.id("problems-tab").textContent()).toContain("2,000");
  await page.showProblems();
  expect(await page.id("more-problems").textContent()).toBe("and 1,800 more errors");
  await page.manifests.write("a: 1\n");
  expect(await page.result.text()).toBe("a: 1\n");
  await works(page);
});

test("sorts a dropped folder into manifests and outputs", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.write("a: ${infra.a} # mine\n");
  await page.manifests.drop([
    { path: "b.yaml", content: "b: ${terraform.a}\n" },
    { path: "terraform.json", content: '{"a": {"sensitive": false, "type": "string", "value": "dropped"}}' },
  ]);
  await page.ready();
  await expect.poll(() => page.manifests.paths()).toEqual(["a.yaml", "b.yaml"]);
  expect(await page.outputs.paths()).toEqual(["infra.json, bound as infra", "terraform.json, bound as terraform"]);
  expect(await notices(page)).toContain("terraform.json");
  await page.ready();
  expect(await page.result.text()).toBe("b: dropped\n");
});

test("keeps a byte order mark and Windows line breaks", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.drop([{ path: "w.yaml", content: "\ufeff# 😀\r\nw: ${infra.a}\r\n" }]);
  await page.ready();
  const files = await page.download();
  expect(files.get("rendered/w.yaml")?.toString("utf8")).toBe("\ufeff# 😀\r\nw: one\r\n");
});

test("keeps a document sensitive after it is deleted and restored", async ({ visit }) => {
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content: "a: 1\n" }],
      outputs: [{ ...INFRA, content: '{"a": {"value": "correct-horse"}}', sensitive: true }],
    }),
  );
  await page.outputs.root.getByTestId("delete-file").click();
  await page.id("undo-delete").click();
  await page.ready();
  await page.manifests.write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: ${infra.a}\n");
  expect(await page.problems.filter({ hasText: "sensitive-output" }).count()).toBe(1);
});

test("refuses an unsafe path in the dialog with a message", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.root.getByTestId("add-file").click();
  const dialog = page.page.getByRole("dialog");
  for (const [name, why] of [["../x.yaml", "a single / between"], ["a.yaml/b.yaml", "a.yaml is a file"]] as const) {
    await page.id("document-path").fill(name);
    await page.id("document-done").click();
    expect(await dialog.getByRole("alert").textContent()).toContain(why);
  }
  await page.id("document-path").fill("b/c.yaml");
  await page.id("document-done").click();
  await expect.poll(() => page.manifests.paths()).toEqual(["a.yaml", "b/c.yaml"]);
});

test("gives each file in the zip a unique, safe path, for any paths in a link", async ({ visit }) => {
  const paths = ["..", "../file", "foo", "foo/bar.yaml", "FOO/bar.yaml", "C:\\a.yaml", "/a.yaml"];
  const manifests = paths.map((path, nth) => ({ path, content: `n: ${nth}\n` }));
  const page = await visit.open(packed({ manifests, outputs: [] }));
  const names = ["file", "file-2", "foo", "foo-2/bar.yaml", "FOO-2/bar-2.yaml", "a.yaml", "a-2.yaml"];
  const files = await page.download();
  expect([...files.keys()]).toEqual([...["rendered", "manifests"].flatMap((folder) => names.map((name) => `${folder}/${name}`)), "README.md"]);
  expect(files.get("rendered/a-2.yaml")?.toString()).toBe("n: 6\n");
});
