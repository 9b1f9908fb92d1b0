/**
 * A visit to the page: what a test does happens in a fresh profile, and whatever it
 * does, the page must have talked to nobody when it ends.
 */
import { readdir } from "node:fs/promises";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { expect, inject, test as plain } from "vitest";
import { insidePage, Playground } from "./playground";

export interface Visit {
  /** Opens the page; `hash` with its `#`. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Playground>;
}

/** Where the page is served. */
export const address = inject("address");

let browser: Promise<Browser> | undefined;

/** Chrome asks here what a form's fields may be for, whatever a page says or allows. */
const OF_THE_BROWSER = "content-autofill.googleapis.com:443";

/** What was asked of other hosts since the last time. */
async function taken(): Promise<string[]> {
  const answer = await fetch(`${inject("bait")}/taken`);
  return ((await answer.json()) as string[]).filter((asked) => asked !== OF_THE_BROWSER);
}

/** What one page has asked for, and what went wrong in it. */
class Watch {
  readonly asked: string[] = [];
  readonly wrong: string[] = [];
  readonly forgiven: RegExp[] = [];
  /** How many requests belong to loading the page. */
  loaded = 0;

  constructor(context: BrowserContext) {
    context.on("request", (request) => {
      this.asked.push(`${request.method()} ${request.url()}`);
      if (request.postDataBuffer()) this.wrong.push(`${request.url()} was sent something`);
    });
    context.on("weberror", (error) => this.wrong.push(`uncaught: ${error.error().stack}`));
    context.on("console", (message) => {
      // Among them: what the page's own policy (CSP) refused.
      if (message.type() === "error") this.wrong.push(`console: ${message.text()}`);
    });
    context.on("page", (page) => {
      page.on("websocket", (socket) => this.wrong.push(`a web socket: ${socket.url()}`));
    });
  }

  /** Waits until the page has fetched all that it wants. */
  async settled(page: Page): Promise<void> {
    for (let quiet = 0, before = -1; quiet < 4; quiet++) {
      await page.waitForTimeout(100);
      if (this.asked.length !== before) quiet = 0;
      before = this.asked.length;
    }
    this.loaded = this.asked.length;
  }

  /** Only files of this page, by their bare names, all while it loaded. */
  async judge(): Promise<void> {
    const isOurs = (words: string) => this.forgiven.some((forgiven) => forgiven.test(words));
    const files = await readdir(process.env.LANDFALL_PLAYGROUND ?? "", { recursive: true });
    const known = new Set(["", ...files].map((file) => `GET ${address}${file}`));
    const strange = this.asked.filter((asked) => {
      const [bare] = asked.split("#");
      return !isOurs(asked) && !known.has(bare ?? "") && !/^GET (data|blob):/.test(asked);
    });
    expect(strange, "requests for something else than the page's files").toEqual([]);
    const once = new Set(this.asked.slice(0, this.loaded));
    const late = this.asked.slice(this.loaded).filter((asked) => !once.has(asked) && !isOurs(asked));
    expect(late, "requests after the page was loaded").toEqual([]);
    expect((await taken()).filter((asked) => !isOurs(asked)), "requests to other hosts").toEqual([]);
    expect(this.wrong.filter((words) => !isOurs(words)), "errors in the page").toEqual([]);
  }
}

/** `test` with a `visit`. */
export const test = plain.extend<{ visit: Visit }>({
  // Vitest reads a fixture's needs from this pattern: it has none.
  // eslint-disable-next-line no-empty-pattern
  visit: async ({}, use) => {
    browser ??= chromium.connect(inject("browser"));
    const visits: { context: BrowserContext; watch: Watch }[] = [];
    await use({
      open: async (hash = "", options = {}) => {
        const context = await (await browser)!.newContext({
          viewport: { width: 1280, height: 800 },
          // Of this machine, too, only the page's own server is reached without it.
          proxy: { server: inject("bait"), bypass: `<-loopback>,${new URL(address).host}` },
          reducedMotion: "reduce",
          ...options,
        });
        context.setDefaultTimeout(10_000);
        const watch = new Watch(context);
        visits.push({ context, watch });
        await context.addInitScript(insidePage);
        const page = await context.newPage();
        await page.goto(`${address}${hash}`);
        const playground = new Playground(page, watch.asked, (words) => watch.forgiven.push(words));
        await playground.ready();
        await watch.settled(page);
        return playground;
      },
    });
    for (const { context } of visits) await context.close();
    for (const { watch } of visits) await watch.judge();
  },
});
