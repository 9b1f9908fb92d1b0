/** The dialog with the link, which says what is in it and what is not. */
import { counted } from "./answer";
import { byId, size } from "./dom";
import { notice } from "./notices";
import { LONGEST_LINK, share } from "./share";
import type { Workspace } from "./state";

export function shareForm(workspace: Workspace): void {
  const dialog = byId<HTMLDialogElement>("share-form");
  const link = byId<HTMLInputElement>("share-link");

  byId("share").addEventListener("click", async () => {
    const saved = workspace.save();
    const shared = await share(saved);
    if (shared.kind === "too-large") {
      notice("share", "wrong", `This is too much for a link: it would have ${size(shared.length)}, and ${size(LONGEST_LINK)} is the most that is safe to send. Download it as a zip instead.`);
      return;
    }
    link.value = location.href.replace(/#.*$/, "") + shared.hash;
    // In the address too, where people look for it. This is no step to go back to.
    history.replaceState(null, "", shared.hash);
    const { withheld, leftOut } = shared;
    const names = withheld.length > 4 ? [...withheld.slice(0, 4), "…"] : withheld;
    byId("share-note").textContent = [
      `It holds ${counted(saved.manifests.length, "manifest")} and ${counted(saved.outputs.length, "outputs document")}, with the values of outputs that are not sensitive. They stand behind the #, which no browser sends to a server; whoever has the link can read them.`,
      withheld.length > 0 ? `Left out: the values of ${counted(withheld.length, "sensitive output")} (${names.join(", ")}).` : "",
      leftOut.length > 0 ? `Left out altogether: ${leftOut.join(", ")}, which cannot be read, so that nobody can tell what in it is sensitive.` : "",
    ].filter(Boolean).join(" ");
    dialog.showModal();
    link.select();
  });
  byId("share-copy").addEventListener("click", async () => {
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      byId("share-copy").textContent = "Copied";
    } catch {
      byId("share-copy").textContent = "Press Ctrl+C";
    }
  });
  dialog.addEventListener("close", () => (byId("share-copy").textContent = "Copy"));
}
