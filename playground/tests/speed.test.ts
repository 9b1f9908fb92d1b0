/** The time from a keystroke to its result. It is printed and not asserted, because machines differ. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

declare global {
  interface Window {
    took?: Promise<number>;
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
  const times: number[] = [];
  for (let n = 0; n < 11; n++) {
    // From the keystroke to the frame that shows the result.
    await page.page.evaluate(() => {
      const answered = window.answered();
      window.took = new Promise((resolve) => {
        const began = () => {
          const start = performance.now();
          void answered.then(() => requestAnimationFrame(() => resolve(performance.now() - start)));
        };
        addEventListener("beforeinput", began, { once: true, capture: true });
      });
    });
    await page.page.keyboard.insertText("#");
    times.push((await page.page.evaluate(() => window.took)) ?? 0);
  }
  times.sort((a, b) => a - b);
  const shown = [times[0], times[5], times[10]].map((time) => time!.toFixed(0));
  console.log(`keystroke to result, ${content.length} bytes of manifests: ${shown.join(" / ")} ms (minimum, median, maximum of 11; expected 100)`);
  expect(await page.result.text()).toContain("012345678901");
});
