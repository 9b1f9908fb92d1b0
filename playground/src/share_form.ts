/** The share dialog: the link, and what it contains. */
import type { Explanation } from "landfall";
import { pluralize, secretsOf, stateOf } from "./answer";
import { copy } from "./copy";
import type { Sensitivity } from "./core/protocol";
import type { Queue } from "./core/queue";
import { byId, size } from "./dom";
import { notice } from "./notices";
import { literalSecrets, MAX_LINK_LENGTH, share, withoutSecrets } from "./share";
import type { Saved, Workspace } from "./state";

/**
 * Asks the core what in a workspace must not be shared; `undefined` without its answer. The
 * unchanged documents of an example have no secrets.
 */
async function sensitivityOf(workspace: Workspace, queue: Queue): Promise<Sensitivity | undefined> {
  const areOfExample = workspace.of("manifests").map((doc) => doc.isOfExample);
  const before = stateOf(workspace.docs);
  const outcome = await queue.submit({ kind: "redact", ...secretsOf(workspace) });
  if (outcome.kind === "stopped") {
    notice("share", "error", `The link could not be created, because the sensitive values could not be identified. ${outcome.message}`);
  }
  if (outcome.kind !== "done") return undefined;
  if (stateOf(workspace.docs) !== before) {
    notice("share", "error", "The documents have changed in the meantime. Share them again.");
    return undefined;
  }
  const { classified, redacted } = outcome.value;
  return { classified: classified.map((one, nth) => (areOfExample[nth] ? { ...one, secrets: [] } : one)), redacted };
}

/** Returns where text is that is probably secret, in what a link would contain of the user's own. */
async function likely(workspace: Workspace, saved: Saved, sensitivity: Sensitivity): Promise<string[]> {
  const { likelySecrets } = await import("./take_away");
  const redacted = withoutSecrets(saved, sensitivity).saved;
  return (["manifests", "outputs"] as const).flatMap((side) => {
    const ofExample = new Set(workspace.examplesOf(side).map(({ path }) => path));
    const own = redacted[side].filter(({ path }) => !ofExample.has(path));
    return own.flatMap(({ path, content }) => likelySecrets(content).map((line) => `what looks like a key in ${path}:${line}`));
  });
}

/** Returns the first names of a list. */
const listed = (names: string[]) => (names.length > 4 ? [...names.slice(0, 4), "…"] : names).join(", ");

/** `show` puts the link into the address. */
export function shareForm(workspace: Workspace, queue: Queue, show: (hash: string) => void, explanation: () => Explanation | undefined): void {
  const dialog = byId<HTMLDialogElement>("share-form");
  const question = byId<HTMLDialogElement>("share-secrets");
  const link = byId<HTMLInputElement>("share-link");
  /** The workspace in the link. */
  let shown: Saved | undefined;
  /** Creates the link once the user has agreed that it contains Secrets. */
  let proceed: (() => Promise<void>) | undefined;

  byId("share").addEventListener("click", async () => {
    const saved = workspace.save();
    const sensitivity = await sensitivityOf(workspace, queue);
    if (!sensitivity) return;
    const secrets = [...literalSecrets(saved, sensitivity.classified), ...(await likely(workspace, saved, sensitivity))];
    if (secrets.length === 0) return create(saved, sensitivity, secrets);
    byId("share-secrets-note").textContent =
      `The link would contain secrets in plain text: ${listed(secrets)}. Anyone with the link could read them. Bind a sensitive output instead, whose value a link never contains.`;
    proceed = () => create(saved, sensitivity, secrets);
    question.showModal();
  });
  byId("share-anyway").addEventListener("click", () => {
    question.close();
    void proceed?.();
    proceed = undefined;
  });

  async function create(saved: Saved, sensitivity: Sensitivity, secrets: string[]): Promise<void> {
    const shared = await share(saved, sensitivity);
    if (shared.kind === "too-large") {
      notice("share", "error", `The workspace is too large for a link: it would be ${size(shared.length)}, and the limit is ${size(MAX_LINK_LENGTH)}. Download it as a zip instead.`);
      return;
    }
    link.value = location.href.replace(/#.*$/, "") + shared.hash;
    // Also in the address bar, without a new entry in the history.
    show(shared.hash);
    const { withheld, leftOut, misplaced } = shared;
    byId("share-note").textContent = [
      `The link contains ${pluralize(saved.manifests.length - misplaced.length, "manifest")} and ${pluralize(saved.outputs.length, "outputs document")}, with the values of outputs that are not sensitive. The part after # is never sent to a server, but anyone with the link can read it.`,
      secrets.length > 0 ? `It also contains secrets in plain text: ${listed(secrets)}.` : "",
      withheld.length > 0 ? `Not included: the values of ${pluralize(withheld.length, "sensitive output")} (${listed(withheld)}).` : "",
      leftOut.length > 0 ? `Not included at all: ${listed(leftOut)}, because the sensitive values of an invalid document cannot be identified.` : "",
      misplaced.length > 0 ? `Not included at all: ${listed(misplaced)}, because it holds outputs and is among the manifests. Bind it as an outputs document.` : "",
    ].filter(Boolean).join(" ");
    shown = shared.saved;
    dialog.showModal();
    copyLink();
  }
  const copyLink = () => {
    link.select();
    void copy(byId("share-copy"), link.value);
  };
  byId("share-copy").addEventListener("click", copyLink);
  byId("share-markdown").addEventListener("click", async ({ currentTarget }) => {
    const { markdown } = await import("./take_away");
    await copy(currentTarget as HTMLElement, markdown(link.value, shown!));
  });
  byId("share-report").addEventListener("click", async ({ currentTarget }) => {
    const { report } = await import("./take_away");
    await copy(currentTarget as HTMLElement, report(link.value, shown!, byId("version").textContent ?? "", explanation()));
  });
}
