/** A shared workspace as text: for a chat or a pull request, and for an issue. */
import type { Explanation } from "landfall";
import type { Saved } from "./state";

/** Returns a block of code; its fence is longer than any in the content. */
function block(path: string, content: string): string {
  const longest = [...content.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `\`${path.replace(/[`\p{Cc}]/gu, "_")}\`\n\n${fence}${/\.json$/i.test(path) ? "json" : "yaml"}\n${content.replace(/\n?$/, "\n")}${fence}\n`;
}

/** Returns a workspace, without its secrets, as Markdown. */
export const markdown = (link: string, { manifests, outputs }: Saved): string =>
  [...[...manifests, ...outputs].map(({ path, content }) => block(path, content)), `[Open it in the playground](${link})\n`].join("\n");

/** Returns the text of an issue about it. */
export function report(link: string, saved: Saved, version: string, explanation: Explanation | undefined): string {
  const problems = explanation?.diagnostics.map(({ severity, rule, message }) => `- ${severity}[${rule}]: ${message}`) ?? [];
  return `### What happened

### What I expected

### To reproduce

${markdown(link, saved)}
### Problems that the page shows

${problems.join("\n") || "none"}

### Version

${version}, ${navigator.userAgent}
`;
}
