/** Downloads the workspace as a folder that landfall renders, with the result. */
import { pluralize } from "./answer";
import { byId, element } from "./dom";
import { notice } from "./notices";
import type { Workspace } from "./state";

export function download(workspace: Workspace, rendered: () => { path: string; content: string }[]): void {
  byId("download").addEventListener("click", async () => {
    const results = rendered();
    const { projectOf, readme, safePath, zip } = await import("./take_away");
    const bytes = new TextEncoder();
    const project = projectOf(workspace);
    const blob = zip(
      [
        ...results.map(({ path, content }) => ({ path: `rendered/${safePath(path)}`, content })),
        ...project.files,
        { path: "README.md", content: readme(project) },
      ].map(({ path, content }) => ({ path, content: bytes.encode(content) })),
    );
    const url = URL.createObjectURL(blob);
    element("a", { href: url, download: "landfall.zip" }).click();
    // By then the browser has started the download and keeps the data itself.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    const contents = results.length > 0 ? "rendered/, manifests/ and outputs/" : "manifests/ and outputs/; nothing was rendered";
    const hasSecrets = workspace.of("outputs").some((one) => one.withheld.length === 0 && (one.sensitive || /"sensitive":\s*true/.test(one.text)));
    const missing = workspace.withheld.size;
    const values = [
      hasSecrets ? " It includes the values of sensitive outputs." : "",
      missing > 0 ? ` It has placeholders instead of the values of ${pluralize(missing, "sensitive output")}.` : "",
    ].join("");
    notice("download", "info", `landfall.zip contains ${contents}.${values}`);
  });
}
