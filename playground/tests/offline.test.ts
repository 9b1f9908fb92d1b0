/** The service worker: what works without a network after a visit, and how one build replaces another. */
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { stamp } from "../offline/build";
import { packed } from "./driver/link";
import { Playground } from "./driver/playground";
import { serve } from "./driver/static_server";
import { test, type Visit } from "./driver/visit";

const SCRIPT = "service_worker.js";
/** Each test loads the page several times, with all its files. */
const SLOW = { timeout: 90_000 };
const hosts: { server: Server; folder: string }[] = [];

/** A host with a copy of the build, which a test can change and stop. */
async function host() {
  const folder = await mkdtemp(join(tmpdir(), "landfall-host-"));
  const built = process.env.LANDFALL_PLAYGROUND ?? "";
  await cp(built, folder, { recursive: true, filter: (path) => !/\.(br|gz)$/.test(path) });
  const { address, server } = await serve(folder);
  hosts.push({ server, folder });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  const start = () => new Promise<void>((resolve) => server.listen(Number(new URL(address).port), "127.0.0.1", resolve));
  return { address, folder, stop, start };
}
type Host = Awaited<ReturnType<typeof host>>;

afterAll(async () => {
  for (const { server, folder } of hosts.splice(0)) {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  }
});

/** Opens the page and waits until its service worker has the build. */
async function visited(visit: Visit, host: Host, path = ""): Promise<Playground> {
  const page = await visit.open(path, { host, serviceWorkers: "allow" });
  await page.page.waitForFunction(() => navigator.serviceWorker.controller, undefined, { timeout: 30_000 });
  // Parts that are loaded on demand.
  page.forgive(/^GET .*\/assets\//);
  return page;
}

/** Returns the paths of everything in the caches. */
const cached = (page: Page, address: string): Promise<string[]> =>
  page.evaluate(async (address) => {
    const paths: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) paths.push(url.replace(address, ""));
    }
    return paths.sort();
  }, address);

/** Replaces the build on a host by one with another title, in which a page of the language reference has another name. */
async function deploy({ folder }: Host): Promise<void> {
  const assets = await readdir(join(folder, "assets"));
  const renamed = assets.filter((name) => /^(index|escape)-.*\.js$/.test(name)).map((name) => [name, name.replace(/.{4}\.js$/, "next.js")] as const);
  const html = await readFile(join(folder, "index.html"), "utf8");
  let next = html.replace("<title>", "<title>next ");
  for (const [from, to] of renamed) {
    await rename(join(folder, "assets", from), join(folder, "assets", to));
    next = next.replace(from, to);
  }
  await writeFile(join(folder, "index.html"), next);
  const main = join(folder, "assets", renamed.find(([name]) => name.startsWith("index"))![1]);
  const [from, to] = renamed.find(([name]) => name.startsWith("escape"))!;
  await writeFile(main, (await readFile(main, "utf8")).replaceAll(from, to));
  stamp(folder);
}

/** Looks for a newer service worker, as a load does, and returns whether one was installed. */
const updated = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const before = registration.active;
    await registration.update().catch(() => {});
    const { installing } = registration;
    if (!installing) return registration.active !== before;
    return new Promise<boolean>((resolve) => {
      installing.addEventListener("statechange", () => {
        if (installing.state === "activated") resolve(true);
        if (installing.state === "redundant") resolve(false);
      });
    });
  });

/** Every part that is loaded on demand. */
async function usesEverything(page: Playground): Promise<void> {
  const labels = await page.id("examples").locator("option").allTextContents();
  expect(labels.length).toBeGreaterThan(30);
  for (const label of labels.filter((label) => !["Your files", "Overview"].includes(label))) {
    await page.change(() => page.id("examples").selectOption({ label }));
  }
  expect(await page.notice.count()).toBe(0);
  await page.change(() => page.id("examples").selectOption({ label: "Karpenter" }));
  expect(await page.result.text()).toContain("role: KarpenterNode-shop-prod");
  await page.id("show-settings").click();
  await page.id("settings-form").locator("select").first().waitFor();
  await page.page.keyboard.press("Escape");
  await page.id("result-diff").click();
  await page.result.root.locator(".removed").first().waitFor();
  await page.id("result-text").click();
  expect((await page.download()).size).toBeGreaterThan(0);
  await page.id("use-this").click();
  await page.page.locator("#uses *").first().waitFor();
  await page.page.keyboard.press("Escape");
  expect(await page.link()).toContain("#v1=");
}

/** Opens a page of the language reference, which is loaded on demand. */
async function opensEscape(page: Playground): Promise<void> {
  await page.change(() => page.id("examples").selectOption({ label: "Escape" }));
  expect(await page.result.text()).toContain("$");
  expect(await page.notice.count()).toBe(0);
}

test("reloads without a network, with every part that is loaded on demand", SLOW, async ({ visit }) => {
  const served = await host();
  const page = await visited(visit, served);
  served.stop();
  await page.page.reload();
  await page.ready();
  await usesEverything(page);
});

test("comes after the module", SLOW, async ({ visit }) => {
  const page = await visited(visit, await host());
  await page.page.evaluate(async () => (await navigator.serviceWorker.ready).unregister());
  const release = await page.holdModule();
  await page.page.reload();
  await page.page.waitForTimeout(1500);
  expect(await page.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  release();
  await page.page.waitForFunction(() => navigator.serviceWorker.controller);
});

test("opens links, examples, its index file and pages in folders without a network", SLOW, async ({ visit }) => {
  const served = await host();
  const page = await visited(visit, served);
  served.stop();
  const link = packed({ manifests: [{ path: "mine.yaml", content: "mine: true\n" }], outputs: [] });
  for (const [path, manifest] of [[link, "mine.yaml"], ["?example=flux", ""], ["?example=strings/2", ""], ["index.html", "shop.yaml"], ["stories/plan/?a=b", "app.yaml"]] as const) {
    await page.page.goto("about:blank");
    await page.page.goto(`${served.address}${path}`);
    await page.ready();
    expect(await page.page.evaluate(() => location.href)).toBe(`${served.address}${path}`);
    expect((await page.manifests.paths()).join()).toContain(manifest);
    expect(await page.notice.filter({ hasText: "no example" }).count()).toBe(0);
  }
  page.forgive(/\?example=|index\.html|stories\/plan/);
});

test("keeps the files of the build and nothing of the workspace", SLOW, async ({ visit }) => {
  const served = await host();
  await writeFile(join(served.folder, "note.txt"), "not a file of the build");
  const page = await visited(visit, served);
  await page.manifests.write("password: hunter2\n");
  await page.link();
  await page.page.evaluate(() => Promise.all(["note.txt", "missing.txt", "?example=x"].map((path) => fetch(path))));
  const files = await readdir(served.folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name).slice(served.folder.length + 1));
  const ofBuild = paths.filter((path) => path !== SCRIPT && path !== "note.txt" && !path.endsWith(".png")).map((path) => path.replace(/(^|\/)index\.html$/, "$1"));
  expect(await cached(page.page, served.address)).toEqual(ofBuild.sort());
  page.forgive(/note\.txt|missing\.txt|example=x|404/);
});

test("leaves other origins, other addresses and other caches alone", SLOW, async ({ visit }) => {
  const served = await host();
  const elsewhere = await host();
  // Without a content security policy, which blocks other origins.
  await writeFile(join(served.folder, "plain.html"), "<!doctype html>");
  const page = await visited(visit, served);
  page.forgive(/./);
  await page.page.evaluate(async () => (await caches.open("landfall of somebody else")).put("theirs", new Response("theirs")));
  await deploy(served);
  expect(await updated(page.page)).toBe(true);
  expect(await page.page.evaluate(() => caches.has("landfall of somebody else"))).toBe(true);
  await page.page.goto(`${served.address}plain.html`);
  const isFromWorker = async (address: string) => {
    const response = page.page.waitForResponse(address);
    await page.page.evaluate((address) => fetch(address, { mode: "no-cors" }).catch(() => {}), address);
    return (await response).fromServiceWorker();
  };
  expect(await isFromWorker(`${served.address}index.html`)).toBe(true);
  for (const address of [elsewhere.address, new URL("../other", served.address).href, `${served.address}other`]) {
    expect(await isFromWorker(address), address).toBe(false);
  }
});

test("shows a new build at the next load, while an old tab keeps its own", SLOW, async ({ visit }) => {
  const served = await host();
  const old = await visited(visit, served);
  const page = await old.page.context().newPage();
  await page.goto(served.address);
  await deploy(served);
  expect(await updated(page)).toBe(true);
  served.stop();
  await page.reload();
  await page.locator("html[data-state=ready]").waitFor();
  expect(await page.title()).toBe("next landfall playground");
  // Each build has its own file with this page, and the server has none.
  for (const tab of [old, new Playground(page, [], old.forgive)]) await opensEscape(tab);
  expect(await old.page.title()).toBe("landfall playground");
  const names = () => page.evaluate(async () => (await caches.keys()).length);
  expect(await names()).toBe(2);
  await old.page.close();
  await served.start();
  await writeFile(join(served.folder, "index.html"), `${await readFile(join(served.folder, "index.html"), "utf8")}\n`);
  stamp(served.folder);
  expect(await updated(page)).toBe(true);
  // This tab has the second build, and nothing has the first one.
  expect(await names()).toBe(2);
  expect((await cached(page, served.address)).filter((path) => path.startsWith("assets/escape-"))).toEqual(expect.arrayContaining([expect.stringContaining("next.js")]));
});

test("keeps its build until the server has every file of another", SLOW, async ({ visit }) => {
  const served = await host();
  const page = await visited(visit, served);
  await deploy(served);
  const at = (name: string) => join(served.folder, name);
  const right = await Promise.all([SCRIPT, "index.html"].map((name) => readFile(at(name))));
  const breakages = [
    () => writeFile(at(SCRIPT), "<!doctype html>"),
    () => rm(at(SCRIPT)),
    () => writeFile(at("index.html"), "Please sign in"),
    () => rename(at("assets"), at("elsewhere")),
  ];
  for (const breakIt of breakages) {
    await breakIt();
    expect(await updated(page.page)).toBe(false);
    await writeFile(at(SCRIPT), right[0]!);
    await writeFile(at("index.html"), right[1]!);
  }
  await page.page.reload();
  await page.ready();
  expect(await page.page.title()).toBe("landfall playground");
  await opensEscape(page);
  await rename(at("elsewhere"), at("assets"));
  expect(await updated(page.page)).toBe(true);
  await page.page.reload();
  expect(await page.page.title()).toBe("next landfall playground");
  page.forgive(/./);
});

test("a build without it removes it and its files", SLOW, async ({ visit }) => {
  const served = await host();
  const page = await visited(visit, served);
  stamp(served.folder, false);
  await writeFile(join(served.folder, "index.html"), (await readFile(join(served.folder, "index.html"), "utf8")).replace("<title>", "<title>next "));
  expect(await updated(page.page)).toBe(true);
  expect(await page.page.evaluate(() => caches.keys())).toEqual([]);
  expect(await page.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await page.page.reload();
  expect(await page.page.title()).toBe("next landfall playground");
});

test("nothing changes where the browser has no service workers", SLOW, async ({ visit }) => {
  const served = await host();
  const page = await visit.open("", { host: served });
  await page.page.addInitScript(() => Object.defineProperty(navigator, "serviceWorker", { value: undefined }));
  await page.page.reload();
  await page.ready();
  await page.manifests.write("mine: true\n");
  expect(await page.result.text()).toContain("mine: true");
});
