/** Downloads the workspace and its rendered files as a zip. */
import { byId, element } from "./dom";
import { notice } from "./notices";
import type { Workspace } from "./state";

export function download(workspace: Workspace, rendered: () => { path: string; content: string }[]): void {
  byId("download").addEventListener("click", async () => {
    const results = rendered();
    const { safePath, zip } = await import("./zip");
    const bytes = new TextEncoder();
    const folder = (name: string, files: { path: string; content: string }[]) =>
      files.map(({ path, content }) => ({ path: `${name}/${safePath(path)}`, content: bytes.encode(content) }));
    const { manifests, outputs } = workspace.save();
    const blob = zip([
      ...folder("rendered", results),
      ...folder("manifests", manifests),
      ...folder("outputs", outputs),
    ]);
    const url = URL.createObjectURL(blob);
    element("a", { href: url, download: "landfall.zip" }).click();
    // By then the browser has started the download and keeps the data itself.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    const contents = results.length > 0 ? "rendered/, manifests/ and outputs/" : "manifests/ and outputs/; nothing was rendered";
    const hasSecrets = outputs.some((one) => one.sensitive || /"sensitive":\s*true/.test(one.content));
    notice("download", "info", `landfall.zip contains ${contents}.${hasSecrets ? " It includes the values of sensitive outputs." : ""}`);
  });
}
