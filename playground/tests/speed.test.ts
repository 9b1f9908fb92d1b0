/** The time from a keystroke to its result. It is printed and not asserted, because machines differ. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

declare global {
  interface Window {
    took?: Promise<number[]>;
  }
}

const RESOURCE = (n: number) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-${n}
  labels: {app.kubernetes.io/part-of: shop}
data:
  account: \${infra.account_id} # whose bill this is
  endpoint: "https://\${infra.region}.example.com/${n}"
  path: \${HOME}/bin
  note: |
    Some lines of text that nothing has to be done with, because most of a
    manifest is of this kind, and they have to be read all the same.
`;

function manifestOf(size: number): string {
  let content = "";
  for (let n = 0; content.length < size; n++) content += `${n ? "---\n" : ""}${RESOURCE(n)}`;
  return content;
}

test.for([
  ["10 KB", 10_000, "16"],
  ["100 KB", 100_000, "100"],
  ["1 MB", 1_000_000, "60, and 250 with substitutions"],
] as const)("renders %s of manifests after a keystroke", { timeout: 60_000 }, async ([, size, expected], { visit }) => {
  const content = manifestOf(size);
  const page = await visit.open(
    packed({
      manifests: [{ path: "a.yaml", content }],
      outputs: [
        {
          name: "infra",
          path: "infra.json",
          content: '{"account_id": {"value": "012345678901"}, "region": {"value": "eu-central-1"}}',
        },
      ],
    }),
  );
  await page.manifests.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+Home");
  const results: number[] = [];
  const answers: number[] = [];
  for (let n = 0; n < 11; n++) {
    // From the keystroke to the frames that show the result, and its substitutions.
    await page.page.evaluate(() => {
      const passed = (states: string[]) =>
        new Promise<void>((resolve) => {
          const root = document.documentElement;
          const observer = new MutationObserver(() => {
            if (!states.includes(root.dataset["state"] ?? "")) return;
            observer.disconnect();
            resolve();
          });
          observer.observe(root, { attributes: true, attributeFilter: ["data-state"] });
        });
      window.took = new Promise((resolve) => {
        const began = () => {
          const start = performance.now();
          const after = (states: string[]) =>
            passed(states).then(() => new Promise<number>((shown) => requestAnimationFrame(() => shown(performance.now() - start))));
          resolve(Promise.all([after(["rendered", "ready"]), after(["ready"])]));
        };
        addEventListener("beforeinput", began, { once: true, capture: true });
      });
    });
    await page.page.keyboard.insertText("#");
    const [result = 0, answer = 0] = (await page.page.evaluate(() => window.took)) ?? [];
    results.push(result);
    answers.push(answer);
  }
  const shown = (times: number[]) => {
    const sorted = times.sort((a, b) => a - b);
    return [sorted[0], sorted[5], sorted[10]].map((time) => time!.toFixed(0)).join(" / ");
  };
  console.log(
    `keystroke to result, ${content.length} bytes of manifests: ${shown(results)} ms (minimum, median, maximum of 11; expected ${expected}); ` +
      `with substitutions ${shown(answers)} ms`,
  );
  expect(await page.result.text()).toContain("012345678901");
});

test("says before typing that 5 MB of manifests cannot be edited", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.drop([{ path: "large.yaml", content: manifestOf(5_000_000) }]);
  await page.manifests.root.getByRole("tab", { name: "large.yaml" }).click();
  await page.manifests.root.getByText("large.yaml is too large to edit here").waitFor();
  expect(await page.manifests.editor.isVisible()).toBe(false);
});
