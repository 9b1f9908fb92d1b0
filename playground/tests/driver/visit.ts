/**
 * A fixture that opens the page in a fresh profile, and checks at the end of each test that
 * the page has sent no unexpected requests.
 */
import { readdir } from "node:fs/promises";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { expect, inject, test as plain } from "vitest";
import { insidePage, Playground } from "./playground";

interface Options extends BrowserContextOptions {
  /** Where the page is served; the default is the server of all tests. */
  host?: { address: string; folder: string };
}

export interface Visit {
  /**
   * Opens the page; `hash` with its `#`. There is no service worker unless the test allows it: tests
   * see all requests of a page without one.
   */
  open(hash?: string, options?: Options): Promise<Playground>;
}

/** The address of the page. */
export const address = inject("address");

let browser: Promise<Browser> | undefined;

/** Chrome's autofill sends requests to this host, regardless of the page's policy. */
const OF_THE_BROWSER = "content-autofill.googleapis.com:443";

/** Returns the requests to other hosts since the last call. */
async function blockedRequests(): Promise<string[]> {
  const answer = await fetch(`${inject("proxy")}/requests`);
  return ((await answer.json()) as string[]).filter((request) => request !== OF_THE_BROWSER);
}

/** Records the requests and errors of a page. */
class Watch {
  readonly requests: string[] = [];
  readonly errors: string[] = [];
  readonly allowed: RegExp[] = [];
  /** Requests of the service worker, which fetches each file of the build after the page was loaded. */
  readonly ofServiceWorker: string[] = [];
  /** The number of requests for loading the page. */
  loaded = 0;

  constructor(
    context: BrowserContext,
    readonly host: { address: string; folder: string },
  ) {
    context.on("request", (request) => {
      const requests = request.serviceWorker() ? this.ofServiceWorker : this.requests;
      requests.push(`${request.method()} ${request.url()}`);
      if (request.postDataBuffer()) this.errors.push(`request with a body to ${request.url()}`);
    });
    context.on("weberror", (error) => this.errors.push(`uncaught: ${error.error().stack}`));
    context.on("console", (message) => {
      // Includes violations of the page's content security policy.
      if (message.type() === "error") this.errors.push(`console: ${message.text()}`);
    });
    context.on("page", (page) => {
      page.on("websocket", (socket) => this.errors.push(`WebSocket: ${socket.url()}`));
    });
  }

  /** Waits until the page sends no more requests. Some time after its first answer, if there is one, it loads more scripts. */
  async settled(page: Page): Promise<void> {
    const isLater = (request: string) => /\/take_away-[^/]*\.js$/.test(request);
    for (let waits = 0; waits < 20 && !this.requests.some(isLater); waits++) await page.waitForTimeout(100);
    for (let quiet = 0, before = -1; quiet < 4; quiet++) {
      await page.waitForTimeout(100);
      if (this.requests.length !== before) quiet = 0;
      before = this.requests.length;
    }
    this.loaded = this.requests.length;
  }

  /** Checks that the page requested only its own files, without query strings, and only while loading. */
  async check(): Promise<void> {
    const isAllowed = (words: string) => this.allowed.some((allowed) => allowed.test(words));
    const files = await readdir(this.host.folder, { recursive: true });
    const paths = files.flatMap((file) => [file, `${file}/`, file.replace(/(^|\/)index\.html$/, "$1")]);
    const known = new Set(["", ...paths].map((path) => `GET ${this.host.address}${path}`));
    const unknown = [...this.requests, ...this.ofServiceWorker].filter((request) => {
      const [bare] = request.split("#");
      return !isAllowed(request) && !known.has(bare ?? "") && !/^GET (data|blob):/.test(request);
    });
    expect(unknown, "requests for other files than the page's own").toEqual([]);
    const once = new Set(this.requests.slice(0, this.loaded));
    const late = this.requests.slice(this.loaded).filter((request) => !once.has(request) && !isAllowed(request));
    expect(late, "requests after the page was loaded").toEqual([]);
    expect((await blockedRequests()).filter((request) => !isAllowed(request)), "requests to other hosts").toEqual([]);
    expect(this.errors.filter((words) => !isAllowed(words)), "errors in the page").toEqual([]);
  }
}

/** `test` with a `visit`. */
export const test = plain.extend<{ visit: Visit }>({
  // Vitest reads the dependencies of a fixture from this pattern; there are none.
  // eslint-disable-next-line no-empty-pattern
  visit: async ({}, use) => {
    browser ??= chromium.connect(inject("browser"));
    const visits: { context: BrowserContext; watch: Watch }[] = [];
    await use({
      open: async (hash = "", { host = { address, folder: process.env.LANDFALL_PLAYGROUND ?? "" }, ...options } = {}) => {
        const context = await (await browser)!.newContext({
          viewport: { width: 1280, height: 800 },
          // Only requests to the page's own server bypass the proxy; those to other local ports do not.
          proxy: { server: inject("proxy"), bypass: `<-loopback>,${new URL(host.address).host}` },
          reducedMotion: "reduce",
          serviceWorkers: "block",
          ...options,
        });
        context.setDefaultTimeout(10_000);
        const watch = new Watch(context, host);
        visits.push({ context, watch });
        await context.addInitScript(insidePage);
        const page = await context.newPage();
        await page.goto(`${host.address}${hash}`);
        const playground = new Playground(page, watch.requests, (words) => watch.allowed.push(words));
        await playground.ready();
        await watch.settled(page);
        return playground;
      },
    });
    for (const { context } of visits) await context.close();
    for (const { watch } of visits) await watch.check();
  },
});
