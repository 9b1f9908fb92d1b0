/** The share dialog: the link, and what it contains. */
import { inputOf, pluralize } from "./answer";
import type { Queue } from "./core/queue";
import { byId, size } from "./dom";
import { notice } from "./notices";
import { MAX_LINK_LENGTH, share } from "./share";
import type { Workspace } from "./state";

export function shareForm(workspace: Workspace, queue: Queue): void {
  const dialog = byId<HTMLDialogElement>("share-form");
  const link = byId<HTMLInputElement>("share-link");

  byId("share").addEventListener("click", async () => {
    const saved = workspace.save();
    const outcome = await queue.submit({ kind: "redact", input: inputOf(workspace).input });
    if (outcome.kind === "stale") return;
    if (outcome.kind === "stopped") {
      notice("share", "error", `The link could not be created, because the sensitive values could not be identified. ${outcome.message}`);
      return;
    }
    const shared = await share(saved, outcome.value);
    if (shared.kind === "too-large") {
      notice("share", "error", `The workspace is too large for a link: it would be ${size(shared.length)}, and the limit is ${size(MAX_LINK_LENGTH)}. Download it as a zip instead.`);
      return;
    }
    link.value = location.href.replace(/#.*$/, "") + shared.hash;
    // Also in the address bar, without a new entry in the history.
    history.replaceState(null, "", shared.hash);
    const { withheld, leftOut } = shared;
    const names = withheld.length > 4 ? [...withheld.slice(0, 4), "…"] : withheld;
    byId("share-note").textContent = [
      `The link contains ${pluralize(saved.manifests.length, "manifest")} and ${pluralize(saved.outputs.length, "outputs document")}, with the values of outputs that are not sensitive. The part after # is never sent to a server, but anyone with the link can read it.`,
      withheld.length > 0 ? `Not included: the values of ${pluralize(withheld.length, "sensitive output")} (${names.join(", ")}).` : "",
      leftOut.length > 0 ? `Not included at all: ${leftOut.join(", ")}, because the sensitive values of an invalid document cannot be identified.` : "",
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
