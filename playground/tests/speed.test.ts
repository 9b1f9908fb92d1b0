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

test.for([
  ["100 KB", 100_000],
  ["1 MB", 1_000_000],
] as const)("renders %s of manifests after a keystroke", async ([, size], { visit }) => {
  let content = "";
  for (let n = 0; content.length < size; n++) content += `${n ? "---\n" : ""}${RESOURCE(n)}`;
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
    `keystroke to result, ${content.length} bytes of manifests: ${shown(results)} ms (minimum, median, maximum of 11; expected 100); ` +
      `with substitutions ${shown(answers)} ms`,
  );
  expect(await page.result.text()).toContain("012345678901");
});
