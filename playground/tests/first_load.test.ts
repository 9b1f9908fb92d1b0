/** The size of the page, and that it works offline once it is loaded. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { address, test } from "./driver/visit";

/** The target for what a browser receives. */
const TARGET = 400_000;
/** The limit until the target is reached, of what is there and nothing more. */
const LIMIT = 616_000;
const folder = process.env.LANDFALL_PLAYGROUND ?? "";

test(`loads at most ${LIMIT} bytes with brotli`, async ({ visit }) => {
  const page = await visit.open();
  const files = new Set(page.asked.map((asked) => asked.slice(`GET ${address}`.length).split("#")[0] || "index.html"));
  let [sum, gzip] = [0, 0];
  const lines: string[] = [];
  for (const file of [...files].sort()) {
    const size = (await readFile(join(folder, `${file}.br`))).length;
    sum += size;
    gzip += (await readFile(join(folder, `${file}.gz`))).length;
    lines.push(`${String(size).padStart(8)}  ${file}`);
  }
  console.log(`first load, brotli:\n${lines.join("\n")}\n${String(sum).padStart(8)}  of ${LIMIT}; the target is ${TARGET}; with gzip ${gzip}`);
  expect([...files].some((file) => file.endsWith(".wasm"))).toBe(true);
  expect(sum).toBeLessThanOrEqual(LIMIT);
});

test("shows the first result before the module has arrived, after at most 150 KB", async ({ visit }) => {
  const page = await visit.open();
  const result = await page.result.text();
  const rows = await page.substitutions.allTextContents();
  const asked = page.asked.length;
  // The module arrives when the test has looked.
  const release = await page.holdModule();
  await page.page.reload();
  await expect.poll(() => page.result.text()).toBe(result);
  expect(await page.substitutions.allTextContents()).toEqual(rows);
  expect(await page.page.locator("html").getAttribute("data-state")).toBe("busy");
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+End");
  await page.page.keyboard.type("# mine\n");
  let sum = 0;
  for (const one of new Set(page.asked.slice(asked))) {
    if (/\.wasm$/.test(one)) continue;
    sum += (await readFile(join(folder, `${one.slice(`GET ${address}`.length) || "index.html"}.gz`))).length;
  }
  release();
  await page.ready();
  await expect.poll(() => page.result.text()).toContain("# mine");
  console.log(`until the first result is shown and can be edited, gzip: ${sum}`);
  expect(sum).toBeGreaterThan(50_000);
  expect(sum).toBeLessThanOrEqual(150_000);
});

test("asks for the module before it builds the editors", async ({ visit }) => {
  const page = await visit.open();
  await page.page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(".cm-editor")) return;
      observer.disconnect();
      performance.mark("editor");
    });
    observer.observe(document, { subtree: true, childList: true });
  });
  await page.page.reload();
  await page.ready();
  const [asked = 0, editor = 0] = await page.page.evaluate(() => {
    const module = performance.getEntriesByType("resource").find(({ name }) => name.endsWith(".wasm"));
    return [module?.startTime, performance.getEntriesByName("editor")[0]?.startTime];
  });
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(editor);
});

test("compiles the module during the download where the host sends its media type, and after it elsewhere", async ({ visit }) => {
  const page = await visit.open();
  await page.page.addInitScript(() => {
    const compileStreaming = WebAssembly.compileStreaming;
    WebAssembly.compileStreaming = (source) => {
      document.documentElement.dataset.streamed = "yes";
      return compileStreaming(source);
    };
  });
  for (const [type, streamed] of [["application/wasm", "yes"], ["application/octet-stream", null]] as const) {
    let downloads = 0;
    await page.page.route(/\.wasm$/, async (route) => {
      downloads++;
      await route.fulfill({ path: join(folder, route.request().url().slice(address.length)), contentType: type });
    });
    await page.page.reload();
    await page.ready();
    expect(await page.page.locator("html").getAttribute("data-streamed")).toBe(streamed);
    expect(downloads).toBe(1);
    await page.page.unroute(/\.wasm$/);
  }
});

test("works offline after the first load", async ({ visit }) => {
  const page = await visit.open();
  await page.page.context().setOffline(true);
  await page.manifests.write("offline: true\n");
  expect(await page.result.text()).toContain("offline: true");
  for (const label of ["Flux variables", "Overview"]) {
    await page.change(() => page.id("examples").selectOption({ label }));
  }
  await page.id("result-diff").click();
  await page.result.root.locator(".removed").first().waitFor();
  await page.id("result-text").click();
  expect((await page.download()).size).toBeGreaterThan(0);
  expect(await page.result.text()).toContain("kind: Secret");
  expect(await page.link()).toContain("#v1=");
});

test("has a content security policy that blocks requests to other hosts", async ({ visit }) => {
  const page = await visit.open();
  const policy = await page.page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  const reached = await page.page.evaluate(async () => {
    const attempts = await Promise.allSettled([fetch("https://example.com/"), fetch("http://127.0.0.1:9/")]);
    return attempts.filter((attempt) => attempt.status === "fulfilled").length;
  });
  expect(reached).toBe(0);
  page.forgive(/example\.com|127\.0\.0\.1:9\b/);
});

test("refers to no other host in the built files", async () => {
  const found: string[] = [];
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.(html|css)$/.test(file)) continue;
    const text = await readFile(join(folder, file), "utf8");
    for (const [address] of text.matchAll(/(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?\/\/[^"')\s]+/g)) {
      found.push(`${file}: ${address}`);
    }
  }
  // Links to other sites are allowed, in the pages only.
  expect(found.filter((one) => !/: href/.test(one))).toEqual([]);
  expect(found.filter((one) => /: href/.test(one) && !/^(stories\/[^/]*\/)?index\.html: /.test(one))).toEqual([]);
});

test("shows its version and the digest of its module", async ({ visit }) => {
  const page = await visit.open();
  expect(await page.id("version").textContent()).toMatch(/\d+\.\d+\.\d+.*[0-9a-f]{8}/s);
});
