/** Page objects: how tests find and use the parts of the page. */
import type { Locator, Page } from "playwright-core";
import { unzip } from "./zip";

export type PaneName = "manifests" | "outputs" | "result";

declare global {
  interface Window {
    /** Waits for the answer to a change that is made after the call. */
    answered(): Promise<void>;
    changed?: Promise<void>;
    /** Waits for a download and returns its content in base64. */
    saved(): Promise<string>;
  }
}

/** Defines functions for tests inside the page; runs before the page's own scripts. */
export function insidePage(): void {
  window.answered = () =>
    new Promise((resolve) => {
      const root = document.documentElement;
      let isBusy = false;
      const observer = new MutationObserver(() => {
        if (root.dataset["state"] !== "ready") isBusy = true;
        else if (isBusy) {
          observer.disconnect();
          resolve();
        }
      });
      observer.observe(root, { attributes: true, attributeFilter: ["data-state"] });
    });

  let download: Blob | undefined;
  const create = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (object: Blob | MediaSource) => {
    if (object instanceof Blob) download = object;
    return create(object);
  };
  window.saved = async () => {
    while (!download) await new Promise((resolve) => setTimeout(resolve, 2));
    const bytes = new Uint8Array(await download.arrayBuffer());
    download = undefined;
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  };
}

export class Playground {
  constructor(
    readonly page: Page,
    /** All requests so far, as `GET address`. */
    readonly asked: readonly string[],
    /** Ignores errors that match, because the test causes them. */
    readonly forgive: (words: RegExp) => void,
  ) {}

  /** Holds the module back from the next load, until the returned function is called. */
  async holdModule(): Promise<() => void> {
    let release = () => {};
    const looked = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(/\.wasm$/, async (route) => {
      await looked;
      await route.continue();
    });
    return release;
  }

  id(name: string): Locator {
    return this.page.getByTestId(name);
  }

  /** Waits until the newest change has an answer. */
  async ready(): Promise<void> {
    await this.page.locator("html[data-state=ready]").waitFor({ timeout: 20_000 });
  }

  /** Makes a change and waits for its answer. */
  async change(what: () => Promise<unknown>): Promise<void> {
    await this.page.evaluate(() => {
      window.changed = window.answered();
    });
    await what();
    await this.page.evaluate(() => window.changed);
  }

  /** Downloads the archive and returns its files: the sources, and the result in `rendered/`. */
  async download(): Promise<Map<string, Buffer>> {
    await this.id("download").click();
    return unzip(Buffer.from(await this.page.evaluate(() => window.saved()), "base64"));
  }

  /** Opens links one after the other and downloads the archive of each. */
  async downloads(hashes: string[]): Promise<Map<string, Buffer>[]> {
    const archives = await this.page.evaluate(async (hashes) => {
      const archives: string[] = [];
      for (const hash of hashes) {
        const answered = window.answered();
        location.hash = hash;
        await answered;
        document.querySelector<HTMLElement>("[data-testid=download]")!.click();
        archives.push(await window.saved());
      }
      return archives;
    }, hashes);
    return archives.map((archive) => unzip(Buffer.from(archive, "base64")));
  }

  pane(name: PaneName): Pane {
    return new Pane(this, name);
  }

  get manifests(): Pane {
    return this.pane("manifests");
  }

  get outputs(): Pane {
    return this.pane("outputs");
  }

  get result(): Pane {
    return this.pane("result");
  }

  /** Shows the list of problems. */
  async showProblems(): Promise<void> {
    await this.id("problems-tab").click();
  }

  /** Creates a link. */
  async link(): Promise<string> {
    await this.id("share").click();
    await this.id("share-link").waitFor();
    const link = await this.id("share-link").inputValue();
    await this.page.keyboard.press("Escape");
    return link;
  }

  get problems(): Locator {
    return this.id("problem");
  }

  get notice(): Locator {
    return this.id("notice");
  }

  get substitutions(): Locator {
    return this.id("substitution");
  }
}

export class Pane {
  readonly root: Locator;

  constructor(
    readonly playground: Playground,
    name: PaneName,
  ) {
    this.root = playground.id(name);
  }

  get tabs(): Locator {
    return this.root.getByRole("tab");
  }

  /** Returns the paths of the documents, for outputs documents with their binding names. */
  async paths(): Promise<string[]> {
    return this.tabs.evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute("aria-label") ?? ""));
  }

  get editor(): Locator {
    return this.root.locator(".cm-content");
  }

  /** Returns the visible lines, which are all lines of a short text. */
  async text(): Promise<string> {
    const lines = await this.root.locator(".cm-line").allTextContents();
    return lines.join("\n");
  }

  /** Replaces the text as typing does. */
  async write(text: string): Promise<void> {
    await this.editor.focus();
    await this.playground.page.keyboard.press("ControlOrMeta+a");
    await this.playground.page.keyboard.insertText(text);
    await this.playground.ready();
  }

  /** Replaces the text by pasting `part`, repeated `times` times. */
  async paste(part: string, times = 1): Promise<void> {
    await this.editor.focus();
    await this.playground.page.keyboard.press("ControlOrMeta+a");
    await this.playground.change(() =>
      this.editor.evaluate(
        (editor, [part, times]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", part.repeat(times));
          editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        },
        [part, times] as const,
      ),
    );
  }

  /** Moves the mouse over words, in more than one step, as a user does. */
  async point(words: string): Promise<void> {
    const place = this.editor.getByText(words).first();
    await place.hover();
    const box = await place.boundingBox();
    if (box) await this.playground.page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2);
  }

  /**
   * Returns the squiggles: line and column from 1 in UTF-16 units, and the underlined text,
   * which is empty for a position between two characters.
   */
  async squiggles(): Promise<{ line: number; column: number; text: string }[]> {
    return this.root.locator(".cm-line").evaluateAll((lines) =>
      lines.flatMap((line, nth) =>
        [...line.querySelectorAll(".cm-lintRange, .cm-lintPoint")].map((mark) => {
          const before = document.createRange();
          before.setStart(line, 0);
          before.setEndBefore(mark);
          return {
            line: nth + 1,
            column: before.toString().length + 1,
            text: mark.textContent ?? "",
          };
        }),
      ),
    );
  }

  /** Returns the highlighted texts. */
  async lit(): Promise<string[]> {
    return this.root.locator(".lit").allTextContents();
  }

  /** Drops files on the pane and waits until they are read. `content` is text or bytes, repeated `times` times. */
  async drop(files: { path: string; content: string | number[]; times?: number }[]): Promise<void> {
    const data = await this.playground.page.evaluateHandle((files) => {
      const transfer = new DataTransfer();
      for (const { path, content, times } of files) {
        const part = typeof content === "string" ? content : new Uint8Array(content);
        transfer.items.add(new File(Array<BlobPart>(times ?? 1).fill(part), path));
      }
      return transfer;
    }, files);
    for (const type of ["dragenter", "dragover", "drop"]) {
      await this.root.dispatchEvent(type, { dataTransfer: data });
    }
    await data.dispose();
    await this.playground.notice.filter({ hasText: "Reading…" }).waitFor({ state: "detached", timeout: 20_000 });
  }
}
