/** Everything in the page as a zip: what came in, and what came out. */
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
    // The download has begun by then, and holds what it needs.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    const about = results.length > 0 ? "rendered/, manifests/ and outputs/" : "manifests/ and outputs/; nothing was rendered";
    const hasSecrets = outputs.some((one) => one.sensitive || /"sensitive":\s*true/.test(one.content));
    notice("download", "told", `landfall.zip has ${about}.${hasSecrets ? " The values of sensitive outputs are in it." : ""}`);
  });
}
