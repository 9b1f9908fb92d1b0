/**
 * What visitors do, in Firefox (`FIREFOX`, the path of the browser) and in WebKit (`WEBKIT_DRIVER`, the path
 * of `WebKitWebDriver`, which needs a display).
 */
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { firefox, KEYS, webkit, type OtherBrowser } from "./driver/other_browsers";
import { packed, unpacked } from "./driver/link";
import { unzip } from "./driver/zip";

const address = inject("address");
const OUTPUTS = '{"vpc_id": {"value": "vpc-0ab1"}, "password": {"value": "correct-horse", "sensitive": true}}\n';
const manifests = [{ path: "a.yaml", content: "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  p: ${infra.password}\n  v: ${infra.vpc_id}\n" }];
const START = packed({ manifests, outputs: [{ name: "infra", path: "infra.json", content: OUTPUTS }] });

const BROWSERS = [
  { name: "Firefox", variable: "FIREFOX", start: firefox },
  { name: "WebKit", variable: "WEBKIT_DRIVER", start: webkit },
];
for (const { name, variable, start } of BROWSERS) {
  const path = process.env[variable];
  const missing = !path ? `${variable} is not set` : name === "Firefox" && typeof WebSocket === "undefined" ? "Node has no WebSocket before version 22" : "";
  if (missing) console.warn(`skipped: ${name}, because ${missing}`);

  describe.skipIf(missing)(name, { timeout: 90_000 }, () => {
    let browser: OtherBrowser;
    const errors: string[] = [];
    beforeAll(async () => (browser = await start(path!, errors)), 60_000);
    afterAll(() => browser?.close());

    const evaluate = <T>(expression: string) => browser.evaluate<T>(expression);
    const element = (testid: string) => `document.querySelector('[data-testid="${testid}"]')`;
    const content = (pane: string) => `document.querySelector('#${pane} .cm-content')`;
    const text = (pane: string) => evaluate<string>(`[...document.querySelectorAll('#${pane} .cm-line')].map((line) => line.textContent).join("\\n")`);
    const click = (testid: string) => evaluate(`${element(testid)}.click()`);
    const ready = () => expect.poll(() => evaluate("document.documentElement.dataset.state"), { timeout: 40_000 }).toBe("ready");
    const poll = (actual: () => Promise<unknown>) => expect.poll(actual, { timeout: 10_000 });

    /** Opens the page as a visitor who was never here. */
    const visit = async (hash = "") => {
      await browser.open(`${address}some.txt`);
      await evaluate("(localStorage.clear(), sessionStorage.clear())");
      await browser.open(`${address}${hash}`);
      await ready();
    };
    /** Copies a text, and pastes it over the pane's. */
    const paste = async (pane: string, pasted: string) => {
      await evaluate(`(() => {
        const copied = document.createElement("textarea");
        copied.value = ${JSON.stringify(pasted)};
        document.body.append(copied);
        copied.select();
      })()`);
      await browser.press("c", true);
      await evaluate(`(document.querySelector("body > textarea").remove(), ${content(pane)}.focus())`);
      await browser.press("a", true);
      await browser.press("v", true);
    };
    const typeAtEnd = async (typed: string) => {
      await evaluate(`${content("manifests")}.focus()`);
      await browser.press(KEYS.end, true);
      await browser.press(typed);
    };

    test("renders the first example", async () => {
      await visit();
      expect(await evaluate("document.documentElement.dataset.rendered")).toBe("true");
      expect(await text("result")).toContain('account: "012345678901"');
      await poll(() => evaluate("document.querySelectorAll('#connectors g path').length")).toBe(2);
    });

    test("accepts the visitor's own outputs, and offers a manifest for them", async () => {
      await visit();
      await paste("outputs", OUTPUTS);
      await poll(() => evaluate(`${element("start-manifest")} !== null`)).toBe(true);
      await click("start-manifest");
      await poll(() => text("result")).toContain("vpc-0ab1");
    });

    test("shows the error of a typo, and fixes it", async () => {
      await visit(START);
      await typeAtEnd("  t: ${infra.vcp_id}");
      await poll(() => evaluate("document.querySelector('#verdict').textContent")).toContain("vcp_id");
      await poll(() => evaluate("document.querySelectorAll('#manifests .cm-lintRange-error').length")).toBe(1);
      await click("verdict-fix");
      await poll(() => text("result")).toContain("t: vpc-0ab1");
    });

    test("completes a reference", async () => {
      await visit(START);
      await typeAtEnd("  t: ${infra.vp");
      await poll(() => evaluate("document.querySelectorAll('.cm-tooltip-autocomplete [role=option]').length")).toBeGreaterThan(0);
      await browser.press(KEYS.enter);
      await poll(() => text("result")).toContain("t: vpc-0ab1");
    });

    test("covers a secret until it is shown", async () => {
      await visit(START);
      await poll(() => text("result")).toContain("vpc-0ab1");
      for (const pane of ["outputs", "result"]) expect(await text(pane)).not.toContain("correct-horse");
      await click("show-secrets");
      await poll(() => text("result")).toContain("correct-horse");
    });

    test("opens a shared link elsewhere, without the secret", async () => {
      await visit(START);
      await typeAtEnd("# shared");
      await poll(() => text("result")).toContain("# shared");
      await click("share");
      await poll(() => evaluate(`${element("share-link")}.value`)).toContain("#v1=");
      const link = await evaluate<string>(`${element("share-link")}.value`);
      expect(unpacked(link).text).not.toContain("correct-horse");
      await visit(link.slice(link.indexOf("#")));
      expect(await text("manifests")).toContain("# shared");
    });

    test("keeps the draft when the page is reloaded", async () => {
      await visit();
      await typeAtEnd("# mine");
      await poll(() => evaluate(`${element("draft")}.textContent`)).toContain("Kept in this browser");
      await evaluate("void setTimeout(() => location.reload())");
      await poll(() => evaluate(`${element("notice")}?.textContent`)).toContain("Your work was restored");
      await ready();
      // Only the visible lines are in the page.
      await evaluate("(document.querySelector('#manifests .cm-scroller').scrollTop = 1e5)");
      await poll(() => text("manifests")).toContain("# mine");
    });

    test("downloads the workspace", async () => {
      await visit(START);
      const base64 = await evaluate<string>(`(async () => {
        const create = URL.createObjectURL;
        const blob = new Promise((resolve) => (URL.createObjectURL = (one) => (resolve(one), create.call(URL, one))));
        ${element("download")}.click();
        const bytes = new Uint8Array(await (await blob).arrayBuffer());
        URL.createObjectURL = create;
        return btoa(String.fromCharCode(...bytes));
      })()`);
      const files = unzip(Buffer.from(base64, "base64"));
      expect(files.get("rendered/a.yaml")?.toString()).toContain("v: vpc-0ab1");
    });

    test("reports no errors in its console", () => expect(errors.filter((one) => !one.includes("some.txt"))).toEqual([]));
  });
}
