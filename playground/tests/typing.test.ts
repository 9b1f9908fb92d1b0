/** Feedback while typing. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

declare global {
  interface Window {
    states?: string[];
    /** The results that are marked when the page has rendered, before it lists the substitutions. */
    marked?: (string | null)[];
    /** The first lines of the result then. */
    firstLines?: (string | null)[];
  }
}

const INFRA = JSON.stringify(
  {
    vpc_id: { sensitive: false, type: "string", value: "vpc-0ab1" },
    subnets: { sensitive: false, type: ["list", "string"], value: ["a", "b"] },
    größe: { sensitive: false, type: "number", value: 4000 },
    password: { sensitive: true, type: "string", value: "correct-horse" },
  },
  null,
  2,
);

const start = (content: string, outputs = INFRA) =>
  packed({
    manifests: [{ path: "a.yaml", content }],
    outputs: [{ name: "infra", path: "infra.json", content: outputs }],
  });

test("renders what is typed", async ({ visit }) => {
  const page = await visit.open(start(""));
  await page.manifests.editor.focus();
  await page.page.keyboard.type("id: ${infra.vpc_id");
  await page.page.keyboard.press("Escape");
  await page.page.keyboard.press("End");
  const typed = await page.manifests.text();
  await page.manifests.write("id: ${infra.vpc_id}\nsubnets: ${infra.subnets}\n");
  expect(typed).toMatch(/^id: \$\{infra\.vpc_id\}?$/);
  expect(await page.result.text()).toBe("id: vpc-0ab1\nsubnets:\n  - a\n  - b\n");
});

test("renders again when an outputs document changes", async ({ visit }) => {
  const page = await visit.open(start("id: ${infra.vpc_id}\n"));
  await page.outputs.write(INFRA.replace("vpc-0ab1", "vpc-9"));
  expect(await page.result.text()).toBe("id: vpc-9\n");
});

test("underlines the exact words, after any characters", async ({ visit }) => {
  const page = await visit.open(
    start("a: ${infra.vcp_id}\nb: \"Ärger 😀👩‍💻 ${infra['größer']}\" # ${infra.nothing}\n"),
  );
  expect(await page.manifests.squiggles()).toEqual([
    { line: 1, column: 12, text: "vcp_id" },
    { line: 2, column: 28, text: "größer" },
  ]);
});

test("underlines the exact words in a file with Windows line breaks", async ({ visit }) => {
  const page = await visit.open(start("a: 1\r\nb: 😀 ${infra.vcp_id}\r\n\r\nc: ${infra.subnet}\r\n"));
  expect(await page.manifests.squiggles()).toEqual([
    { line: 2, column: 15, text: "vcp_id" },
    { line: 4, column: 12, text: "subnet" },
  ]);
});

test("underlines the line of an error in an outputs document", async ({ visit }) => {
  const page = await visit.open(start("a: ${infra.vpc_id}\n"));
  await page.outputs.write('{\n  "größe": {"value": 1},\n  "x": {"value": tru},\n}\n');
  const [first] = await page.outputs.squiggles();
  // In an invalid document it is unknown which values are sensitive, and a column would reveal
  // the length of a value before it: only the line is reported, with its first column.
  expect(first).toMatchObject({ line: 3, column: 1 });
  expect(await page.problems.first().textContent()).toContain("infra.json:3:1");
});

test("lists every problem with its location, and goes there on a click", async ({ visit }) => {
  const page = await visit.open(start("a: 1\nb: 😀 ${infra.vcp_id}\n"));
  const problem = page.problems.first();
  expect(await problem.textContent()).toContain("a.yaml:2:15");
  await page.showProblems();
  await problem.click();
  await page.page.keyboard.insertText("X");
  await page.ready();
  expect(await page.manifests.text()).toMatch(/^b: 😀 \$\{infra\.(X|vcp_idX|Xvcp_id)\}$/m);
});

/** Longer than manifests whose result and substitutions are shown together. */
const LONG = "# a comment that is not read\n".repeat(8000);

/** Records the states of the page with the number of substitutions listed in each. */
async function recordStates(page: Playground): Promise<() => Promise<string[]>> {
  await page.page.evaluate(() => {
    window.states = [];
    const root = document.documentElement;
    const texts = (selector: string) => [...document.querySelectorAll(selector)].map((found) => found.textContent);
    const rows = () => document.querySelectorAll("[data-testid=substitution]").length;
    new MutationObserver(() => {
      const state = `${root.dataset["state"]}, ${rows()} listed`;
      if (window.states?.at(-1) !== state) window.states?.push(state);
      if (root.dataset["state"] !== "rendered") return;
      window.marked = texts("[data-testid=result] .value");
      window.firstLines = texts("[data-testid=result] .cm-line").slice(0, 2);
    }).observe(root, { attributes: true, attributeFilter: ["data-state"] });
  });
  return async () => (await page.page.evaluate(() => window.states)) ?? [];
}

test("shows the result of long manifests before their substitutions, unless an output is sensitive", async ({ visit }) => {
  const page = await visit.open(start(`id: \${infra.vpc_id}\n${LONG}`, INFRA.replace('"sensitive": true', '"sensitive": false')));
  expect(await page.substitutions.count()).toBe(1);
  const states = await recordStates(page);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.insertText("size: ${infra['größe']}\n");
  await page.page.locator("html[data-state=ready]").waitFor();
  await expect.poll(states).toEqual(["busy, 1 listed", "rendered, 1 listed", "ready, 2 listed"]);
  expect(await page.page.evaluate(() => window.firstLines)).toEqual(["size: 4000", "id: vpc-0ab1"]);
  expect(await page.page.evaluate(() => window.marked)).toEqual(["vpc-0ab1"]);
  expect(await page.result.root.locator(".value").allTextContents()).toEqual(["4000", "vpc-0ab1"]);
});

test("reports errors in long manifests at once", async ({ visit }) => {
  const page = await visit.open(start(`id: \${infra.vpc_id}\n${LONG}`));
  const states = await recordStates(page);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.insertText("size: ${infra.size}\n");
  await page.ready();
  expect(await states()).toEqual(["busy, 1 listed", "ready, 1 listed"]);
  expect(await page.problems.first().textContent()).toContain("a.yaml:1:15");
});

test("lists the substitutions of long manifests when nobody types any more", async ({ visit }) => {
  const page = await visit.open(start(`id: \${infra.vpc_id}\n${LONG}`));
  const states = await recordStates(page);
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  // In the page: the way here and back may take longer than a pause in typing.
  await page.page.evaluate(() => {
    const root = document.documentElement;
    new MutationObserver((_, observer) => {
      if (root.dataset["state"] !== "rendered") return;
      observer.disconnect();
      document.execCommand("insertText", false, "b: ${infra.vpc_id}\n");
    }).observe(root, { attributes: true, attributeFilter: ["data-state"] });
  });
  await page.page.keyboard.insertText("a: ${infra.vpc_id}\n");
  const rendered = ["busy, 1 listed", "rendered, 1 listed"];
  await expect.poll(states).toEqual([...rendered, ...rendered, "ready, 3 listed"]);
});

for (const bound of [["infra", "net"], ["net"]]) {
  test(`reports the unused binding net with the bindings ${bound.join(" and ")}`, async ({ visit }) => {
    const outputs = bound.map((name) => ({ name, path: `${name}.json`, content: '{"vpc_id": {"value": "vpc-1"}}' }));
    const manifests = [{ path: "a.yaml", content: "id: ${infra.vpc_id}\n" }];
    const page = await visit.open(packed({ manifests, outputs }));
    expect(await page.id("problems-tab").textContent()).toContain(bound.length === 1 ? "2" : "1");
    const unused = page.problems.filter({ hasText: "unused-output" });
    expect(await unused.textContent()).toContain("unused output of net: vpc_id");
    expect(await unused.textContent()).toContain("net.json:1:2");
    // If infra is not bound, its reference is reported, too.
    const unbound = page.problems.filter({ hasText: "unbound-reference" });
    expect(await unbound.count()).toBe(bound.length === 1 ? 1 : 0);
  });
}

test("applies a fix with one click", async ({ visit }) => {
  const page = await visit.open(start("😀: x\r\na: ${infra.vcp_id}\r\n"));
  await page.showProblems();
  await page.id("fix").first().click();
  await page.ready();
  expect(await page.manifests.text()).toBe("😀: x\na: ${infra.vpc_id}\n");
  expect(await page.result.text()).toBe("😀: x\na: vpc-0ab1\n");
  expect(await page.problems.filter({ hasText: "unknown-output" }).count()).toBe(0);
});

test("completes names and functions", async ({ visit }) => {
  const page = await visit.open(start("# 😀\n"));
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+End");
  await page.page.keyboard.type("a: ${infra.");
  const options = page.page.locator(".cm-tooltip-autocomplete [role=option]");
  await options.first().waitFor();
  expect((await options.allTextContents()).join(" ")).toContain("vpc_id");
  await page.page.keyboard.type("vp");
  await expect.poll(() => options.count()).toBe(1);
  await page.page.keyboard.press("Enter");
  await page.page.keyboard.type(" | upp");
  await options.filter({ hasText: "upper" }).first().waitFor();
  await page.page.keyboard.press("Enter");
  await page.ready();
  expect(await page.manifests.text()).toMatch(/^a: \$\{infra\.vpc_id \| upper\}?$/m);
});

test("closes a completed reference unless it is already closed", async ({ visit }) => {
  const page = await visit.open(start("a: b\n"));
  const { keyboard } = page.page;
  const options = page.page.locator(".cm-tooltip-autocomplete [role=option]");
  /** Types, accepts the only option, and types more. */
  const typed = async (words: string, rest: string, more: string) => {
    await page.manifests.write(rest);
    await keyboard.press("ControlOrMeta+Home");
    await keyboard.type(words);
    await options.filter({ hasText: words.includes(".") ? "vpc_id" : "infra" }).waitFor();
    await expect.poll(() => options.count()).toBe(1);
    await keyboard.press("Enter");
    await keyboard.type(more);
    await page.ready();
    return page.manifests.text();
  };
  expect(await typed("${infra.vp", "", "")).toBe("${infra.vpc_id}");
  expect(await typed("${infra.vp", " ${infra.subnets}", " | upper")).toBe("${infra.vpc_id | upper} ${infra.subnets}");
  expect(await typed("${infra.vp", " | upper}", "")).toBe("${infra.vpc_id | upper}");
  // Typing the closing brace skips the inserted one.
  expect(await typed("${infra.vp", "", "} and {}}")).toBe("${infra.vpc_id} and {}}");
  expect(await typed("${inf", "", "")).toBe("${infra.");
});

test("closes the arguments of a completed function, with the cursor between the parentheses", async ({ visit }) => {
  const page = await visit.open(start("a: b\n"));
  const { keyboard } = page.page;
  const completed = async (rest: string, more: string) => {
    await page.manifests.write(rest);
    await keyboard.press("ControlOrMeta+Home");
    await keyboard.type("${infra.vpc_id | defau");
    await page.page.locator(".cm-tooltip-autocomplete [role=option]", { hasText: "default" }).waitFor();
    await keyboard.press("Enter");
    await keyboard.type(more);
    await page.ready();
    return page.manifests.text();
  };
  expect(await completed("", '"x"')).toBe('${infra.vpc_id | default("x")}');
  // Typing what was inserted skips it.
  expect(await completed("", '"x")} and )}')).toBe('${infra.vpc_id | default("x")} and )}');
  expect(await completed("}", '"x"')).toBe('${infra.vpc_id | default("x")}');
  expect(await completed('"x")}', "")).toBe('${infra.vpc_id | default("x")}');
});

test("shows the type and value of a reference in a tooltip, but no sensitive value", async ({ visit }) => {
  const page = await visit.open(
    start(
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  p: ${infra.password}\n  v: ${infra.vpc_id}\n",
    ),
  );
  const tooltipOf = async (name: string) => {
    await page.manifests.point(name);
    const tooltip = page.page.locator(".cm-tooltip-hover", { hasText: name });
    await tooltip.waitFor();
    const words = (await tooltip.textContent()) ?? "";
    await page.result.root.hover({ position: { x: 5, y: 5 } });
    await expect.poll(() => tooltip.count()).toBe(0);
    return words;
  };
  const plain = await tooltipOf("vpc_id");
  expect(plain).toContain("string");
  expect(plain).toContain("vpc-0ab1");
  const secret = await tooltipOf("password");
  expect(secret).toContain("sensitive");
  expect(secret).not.toContain("correct-horse");
});

test("lists many files in a menu", async ({ visit }) => {
  const manifests = Array.from({ length: 12 }, (_, n) => ({ path: `apps/team-${n}/deployment.yaml`, content: `n: ${n}\n` }));
  const page = await visit.open(packed({ manifests, outputs: [] }));
  const menu = page.manifests.root.getByTestId("all-files");
  expect(await menu.locator("option").allTextContents()).toEqual(manifests.map((one) => one.path));
  expect(await page.manifests.root.locator(".all-files").textContent()).toMatch(/^12/);
  await menu.selectOption({ label: "apps/team-11/deployment.yaml" });
  expect(await page.manifests.text()).toBe("n: 11\n");
  expect(await page.outputs.root.getByTestId("all-files").isVisible()).toBe(false);
});

test("restores the scroll position of a document, and opens another one at its beginning", async ({ visit }) => {
  const long = "long: ${infra.a} and more text, so that the line is wider than the pane of a phone\n".repeat(80);
  const page = await visit.open(
    packed({ manifests: [{ path: "a.yaml", content: long }, { path: "b.yaml", content: long }], outputs: [] }),
    { viewport: { width: 390, height: 844 } },
  );
  const scroller = page.manifests.root.locator(".cm-scroller");
  const scrolled = () => scroller.evaluate((element) => [element.scrollTop, element.scrollLeft]);
  await scroller.evaluate((element) => element.scrollTo(50, 300));
  await page.manifests.tabs.filter({ hasText: "b.yaml" }).click();
  expect(await scrolled()).toEqual([0, 0]);
  await page.manifests.tabs.filter({ hasText: "a.yaml" }).click();
  await expect.poll(scrolled).toEqual([300, 50]);
});

test("does not accept an outdated completion while a newer list is requested", async ({ visit }) => {
  // So many outputs that the list takes longer than the next keystroke.
  const names = Array.from({ length: 30_000 }, (_, n) => [`a${n}`, { value: "" }] as const);
  const outputs = Object.fromEntries([...names, ["zone", { value: "" }], ["zoo", { value: "" }]]);
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content: "a: \n" }],
      outputs: [{ name: "infra", path: "infra.json", content: JSON.stringify(outputs) }],
    }),
  );
  const options = page.page.locator(".cm-tooltip-autocomplete [role=option]");
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  await page.page.keyboard.press("End");
  await page.page.keyboard.type("${infra.");
  await options.first().waitFor();
  await page.page.keyboard.type("zon");
  await page.page.keyboard.press("Enter");
  const isDone = async () => /^a: \$\{infra\.zone\}?\n$/.test(await page.manifests.text());
  if (!(await isDone())) {
    // Nothing was accepted yet.
    expect(await page.manifests.text()).toMatch(/^a: \$\{infra\.zon\n$/);
    await expect.poll(() => options.first().textContent()).toContain("zone");
    await page.page.keyboard.press("Enter");
  }
  await expect.poll(isDone).toBe(true);
});
