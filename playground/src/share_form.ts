/** The share dialog: the link, and what it contains. */
import { inputOf, pluralize } from "./answer";
import type { Queue } from "./core/queue";
import { byId, size } from "./dom";
import { notice } from "./notices";
import { literalSecrets, MAX_LINK_LENGTH, share, type Judged } from "./share";
import type { Saved, Workspace } from "./state";

/**
 * Asks the core what in a workspace must not be shared; `undefined` without its answer. The
 * unchanged documents of an example have no secrets.
 */
async function judge(workspace: Workspace, saved: Saved, queue: Queue): Promise<Judged | undefined> {
  const areOfExample = workspace.of("manifests").map((doc) => doc.isOfExample);
  const outcomes = await Promise.all([
    queue.submit({ kind: "classify", files: saved.manifests }),
    queue.submit({ kind: "redact", input: inputOf(workspace).input }),
  ]);
  for (const outcome of outcomes) {
    if (outcome.kind === "stopped") {
      notice("share", "error", `The link could not be created, because the sensitive values could not be identified. ${outcome.message}`);
    }
  }
  const [classified, redacted] = outcomes;
  if (classified.kind !== "done" || redacted.kind !== "done") return undefined;
  const own = classified.value.map((one, nth) => (areOfExample[nth] ? { ...one, secrets: [] } : one));
  return { classified: own, redacted: redacted.value };
}

/** Returns the first names of a list. */
const listed = (names: string[]) => (names.length > 4 ? [...names.slice(0, 4), "…"] : names).join(", ");

export function shareForm(workspace: Workspace, queue: Queue): void {
  const dialog = byId<HTMLDialogElement>("share-form");
  const question = byId<HTMLDialogElement>("share-secrets");
  const link = byId<HTMLInputElement>("share-link");
  /** Creates the link once the user has agreed that it contains Secrets. */
  let proceed: (() => Promise<void>) | undefined;

  byId("share").addEventListener("click", async () => {
    const saved = workspace.save();
    const judged = await judge(workspace, saved, queue);
    if (!judged) return;
    const secrets = literalSecrets(saved, judged.classified);
    if (secrets.length === 0) return show(saved, judged, secrets);
    byId("share-secrets-note").textContent =
      `The manifests contain secrets in plain text: ${listed(secrets)}. Anyone with the link could read them. Bind a sensitive output instead, whose value a link never contains.`;
    proceed = () => show(saved, judged, secrets);
    question.showModal();
  });
  byId("share-anyway").addEventListener("click", () => {
    question.close();
    void proceed?.();
    proceed = undefined;
  });

  async function show(saved: Saved, judged: Judged, secrets: string[]): Promise<void> {
    const shared = await share(saved, judged);
    if (shared.kind === "too-large") {
      notice("share", "error", `The workspace is too large for a link: it would be ${size(shared.length)}, and the limit is ${size(MAX_LINK_LENGTH)}. Download it as a zip instead.`);
      return;
    }
    link.value = location.href.replace(/#.*$/, "") + shared.hash;
    // Also in the address bar, without a new entry in the history.
    history.replaceState(null, "", shared.hash);
    const { withheld, leftOut, misplaced } = shared;
    byId("share-note").textContent = [
      `The link contains ${pluralize(saved.manifests.length - misplaced.length, "manifest")} and ${pluralize(saved.outputs.length, "outputs document")}, with the values of outputs that are not sensitive. The part after # is never sent to a server, but anyone with the link can read it.`,
      secrets.length > 0 ? `It also contains secrets in plain text: ${listed(secrets)}.` : "",
      withheld.length > 0 ? `Not included: the values of ${pluralize(withheld.length, "sensitive output")} (${listed(withheld)}).` : "",
      leftOut.length > 0 ? `Not included at all: ${listed(leftOut)}, because the sensitive values of an invalid document cannot be identified.` : "",
      misplaced.length > 0 ? `Not included at all: ${listed(misplaced)}, because it holds outputs and is among the manifests. Bind it as an outputs document.` : "",
    ].filter(Boolean).join(" ");
    dialog.showModal();
    link.select();
  }
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
