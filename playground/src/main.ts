/** Wires the page together: edits go to the core, its answers go to the panes. */
import type { Explanation, Fix, Rendered } from "landfall";
import { changesOf, pluralize, inputOf, secretsOf, docOf, isCurrent, lengthOf, stateOf, type Answer, type Snapshot } from "./answer";
import type { InputRefs, Task } from "./core/protocol";
import { Queue, type Outcome } from "./core/queue";
import { keepSpares, start } from "./core/start";
import { addresses } from "./addresses";
import { byId, element, roving } from "./dom";
import { download } from "./download";
import { draftOf, drafts, forgetSecrets, isKeptWhole, keepDraft, keepWhole } from "./draft";
import { examples } from "./examples";
import { first } from "./first";
import { droppedFiles, importFiles, type Incoming, type Sort } from "./files";
import { notice, dismiss } from "./notices";
import { loadOffline } from "./offline";
import { completion } from "./panes/completion";
import { connectors } from "./panes/connectors";
import { DocumentsPane } from "./panes/documents";
import { hover, type Explainer } from "./panes/hover";
import { Covers } from "./panes/covers";
import { dividers } from "./panes/dividers";
import { Problems } from "./panes/problems";
import { ResultPane } from "./panes/result";
import type { Change } from "./panes/settings_form";
import { Substitutions } from "./panes/substitutions";
import { trace } from "./panes/trace";
import { Verdict } from "./panes/verdict";
import { wrapping } from "./panes/wrapping";
import { Provenance } from "./provenance";
import { open } from "./share";
import { Secrets } from "./secrets";
import { shareForm } from "./share_form";
import { isStory } from "./stories";
import { leaveStory, showStory } from "./story_line";
import { isBlank, Workspace, type Doc, type Saved } from "./state";
import { theme } from "./theme";
import { useForm } from "./use_form";

/** The longest debounce after a keystroke before rendering, in milliseconds. */
const MAX_DEBOUNCE = 10;

/**
 * The length of manifests from which the result is shown before its substitutions are known, in
 * characters. Reporting them takes several times as long as rendering.
 */
const LARGE = 200_000;
/** The pause in typing after which substitutions of large manifests are reported, in milliseconds. */
const TYPING_PAUSE = 250;

const workspace = new Workspace();
const provenance = new Provenance();

const queue = new Queue(
  start,
  {
    read: (key) => {
      const doc = workspace.find(key);
      return doc && { content: doc.text, revision: doc.revision };
    },
  },
  ({ version, digest }) => {
    // Delayed, so that it does not compete with the first render.
    setTimeout(keepSpares, 500);
    byId("version").textContent = `landfall ${version}, module sha256:${digest}`;
    byId("version").title = byId("version").textContent ?? "";
  },
);

const fix = (one: Fix) => {
  const doc = answer && docOf(answer.snapshot, one.origin);
  // The fix has positions in the text that the answer is for; the text may have changed since.
  if (!doc || !answer || !isCurrent(answer.snapshot, doc)) return;
  change(doc, changesOf(one.edits));
};
const secrets = new Secrets(workspace, queue);
const covers = new Covers();
const explainer: Explainer = {
  provenance,
  workspace,
  queue,
  covers,
  marks: (pane) => ({ outputs, manifests, result })[pane].marks,
  jump: (doc, offset) => jump(doc, offset),
};
const outputs: DocumentsPane = new DocumentsPane("outputs", byId("outputs"), workspace, provenance, fix, [hover(explainer, "outputs")], covers, (...pasted) => void sortPasted(...pasted));
const manifests: DocumentsPane = new DocumentsPane("manifests", byId("manifests"), workspace, provenance, fix, [
  completion(workspace, queue, () => manifests),
  hover(explainer, "manifests"),
], covers, (...pasted) => void sortPasted(...pasted));
const pane = (doc: Doc) => (doc.side === "outputs" ? outputs : manifests);
const result: ResultPane = new ResultPane(workspace, provenance, covers, [hover(explainer, "result")]);
const change: Change = (doc, edits) => pane(doc).change(doc, edits);
const jump = (doc: Doc, offset: number) => {
  showPane(doc.side);
  pane(doc).jump(doc, offset);
};
const problems = new Problems(jump, fix);
const substitutions = new Substitutions(provenance, jump);
const verdict = new Verdict(jump, fix, () => {
  byId("problems-tab").focus();
  byId("problems-panel").scrollIntoView({ block: "nearest" });
}, workspace, (dialect) => void import("./panes/settings_form").then(({ readAs }) => readAs(workspace, change, dialect)));
trace(provenance);
dividers();
wrapping([outputs.view, manifests.view, result.view]);
connectors(outputs, manifests, result, provenance, workspace);
theme();
secrets.listen((sensitivity) => {
  outputs.cover(sensitivity);
  result.hasSecrets = sensitivity.redacted.some((one) => !one || one.outputs.length > 0);
  knownOutputs = outputsNow();
  verdict.others(new Map(workspace.of("manifests").map((doc, nth) => [doc, sensitivity.classified[nth]?.otherDialects ?? []])));
});
secrets.stopped(() => (result.hasSecrets = true));
/** What decides which outputs are sensitive, when the core was asked last. */
let knownOutputs = "";
const outputsNow = () => stateOf([...workspace.of("outputs"), workspace.binding() ?? []].flat());
const showButton = byId("show-secrets");
showButton.addEventListener("click", () => covers.show(!covers.isShown));
covers.listen(() => {
  showButton.setAttribute("aria-pressed", String(covers.isShown));
  for (const { view } of [outputs, result]) view.dispatch({ effects: covers.refresh() });
});

// From an edit to its answer.

let answer: Answer | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
/** How long the last answer took, in milliseconds, with or without substitutions. */
let lastTook = MAX_DEBOUNCE;
let isFirstAnswer = true;
/**
 * Whether a workspace was just opened: its first answer decides what is selected and which
 * list is shown.
 */
let isJustOpened = true;

function update(next: Answer | undefined): void {
  answer = next;
  for (const part of [outputs, manifests, result, problems]) part.update(next);
  verdict.update(next, "", isJustOpened);
  // While there are errors, the last rendered result stays visible.
  const isRendered = !next || next.explanation.files !== undefined;
  markOld(!isRendered);
  if (!isRendered) return;
  provenance.update(next, openFile(), isJustOpened ? "open" : "page");
  substitutions.update(next, isJustOpened);
}

/** Sets whether the lists are marked as outdated. */
function markOld(isOld: boolean): void {
  for (const id of ["substitutions-panel", "trace"]) byId(id).classList.toggle("old", isOld);
}

/** Returns the index of the open manifest in the last answer. */
function openFile(): number | undefined {
  const doc = workspace.open.manifests;
  const nth = doc ? answer?.snapshot.manifests.indexOf(doc) : undefined;
  return nth === undefined || nth < 0 ? undefined : nth;
}

/** The number of requests so far. */
let requests = 0;

async function render(): Promise<void> {
  clearTimeout(timer);
  setState("busy");
  const { snapshot, input } = inputOf(workspace);
  await answerWith(lengthOf(snapshot) > LARGE ? "render" : "explain", snapshot, input);
}

/**
 * Asks for the result with or without its substitutions, and shows it. Missing substitutions are
 * asked for in the next pause, with the result as `rendered`; if reporting them takes too long,
 * the result is shown without them.
 */
async function answerWith(
  kind: "render" | "explain",
  snapshot: Snapshot,
  input: InputRefs,
  rendered?: Rendered,
): Promise<void> {
  const request = ++requests;
  const startedAt = performance.now();
  const outcome: Outcome<typeof kind> = await queue.submit({ kind, input } satisfies Task);
  if (outcome.kind === "stale" || request !== requests) return;
  // A document changed in the meantime: the next answer is for the new text.
  if (workspace.docs.some((doc) => !isCurrent(snapshot, doc))) return;
  const isLate = outcome.kind === "stopped" && outcome.why === "time";
  if (outcome.kind === "stopped" && !(isLate && rendered)) return showStopped(outcome);
  lastTook = performance.now() - startedAt;
  if (isLate) notice("worker", "error", "Reporting the substitutions took too long and was stopped. The result is complete.");
  else dismiss("worker");
  const explanation: Explanation = outcome.kind === "done" ? outcome.value : rendered!;
  document.documentElement.dataset["rendered"] = String(explanation.files !== undefined);
  if (kind === "render" && explanation.files) {
    result.update({ snapshot, explanation });
    markOld(true);
    verdict.wait();
    setState("rendered");
    timer = setTimeout(() => void answerWith("explain", snapshot, input, explanation), TYPING_PAUSE);
    return;
  }
  setState("ready");
  update({ snapshot, explanation, substitutions: explanation.substitutions ?? [], areKnown: !isLate });
  if (isJustOpened) showBelow(explanation.files ? "substitutions" : "problems");
  isJustOpened = false;
  offerStarter(explanation);
  if (!isFirstAnswer) return;
  isFirstAnswer = false;
  // Loads the remaining scripts while the page is idle, so that it works offline until the service worker has all files, and without one.
  setTimeout(() => {
    void Promise.allSettled([import("./take_away"), import("./story_files"), import("./binding"), import("./panes/settings_form"), import("./panes/tools_form")]).then(loadOffline);
  }, 200);
}

/** Whether the user's own outputs are beside an example's manifests, which do not know them. */
let isStarterOffered = false;

/** Offers a manifest with the names of the user's own outputs. */
function offerStarter({ files, diagnostics }: Explanation): void {
  const isOfExample = (doc: Doc) => doc.isOfExample;
  const [manifests, documents] = [workspace.of("manifests"), workspace.boundOutputs()];
  // Outputs that cannot be read have no names.
  const areRead = !diagnostics.some(({ severity, labels: [label] }) => severity === "error" && typeof label?.origin === "object" && "outputs" in label.origin);
  const isWanted =
    !files && areRead && documents.length > 0 && !documents.some(isOfExample) && manifests.length > 0 && manifests.every(isOfExample);
  if (isWanted === isStarterOffered) return;
  isStarterOffered = isWanted;
  if (!isWanted) return dismiss("starter");
  notice("starter", "info", "The example's manifest has references to other outputs than yours.", {
    label: "Start a manifest with yours",
    testid: "start-manifest",
    run: () => void startWith(documents),
  });
}

/** Replaces the example's manifests by one with the names of these outputs. */
async function startWith(documents: Doc[]): Promise<void> {
  const outcome = await queue.submit({ kind: "names", input: inputOf(workspace, documents).input });
  if (outcome.kind !== "done") return;
  const { starter } = await import("./take_away");
  const content = starter(documents.map(({ name }, nth) => ({ name, found: outcome.value[nth] ?? [] })));
  replace(() => {
    workspace.clearExample("manifests");
    workspace.put("manifests", { path: "manifest.yaml", content });
  });
  showPane("manifests");
}

/** Shows why there is no answer for the current text. */
function showStopped({ why, message }: Outcome<Task["kind"]> & { kind: "stopped" }): void {
  setState("ready");
  const text = {
    time: `${message} It renders again after the next change. The command line has a longer time limit and accepts larger files.`,
    crash: `${message} This is a bug in landfall. The module was restarted.`,
    load: `landfall could not be loaded: ${message}.`,
    input: `${message}. It renders again after the next change.`,
  }[why];
  const reason = why === "load" ? text : message;
  // The problems reported before are those of an older text.
  answer = undefined;
  outputs.update(undefined);
  manifests.update(undefined);
  result.stopped(reason);
  problems.update(undefined, reason);
  verdict.update(undefined, reason);
  markOld(true);
  if (why === "load") byId("version").textContent = "module not loaded";
  notice("worker", "error", text, { label: "Try again", testid: "try-again", run: () => void render() });
}

/** `rendered`: the result is shown, its substitutions are not known yet. */
function setState(state: "busy" | "rendered" | "ready"): void {
  document.documentElement.dataset["state"] = state;
}

workspace.listen((change) => {
  if (change === "open") {
    provenance.showFile(openFile());
    return;
  }
  // It would also undo what comes after the tool.
  if (change === "text") dismiss("tool");
  setState("busy");
  result.hasSecrets ||= outputsNow() !== knownOutputs;
  clearTimeout(timer);
  // Fast renders need no debounce.
  timer = setTimeout(() => void render(), change === "text" ? Math.min(MAX_DEBOUNCE, 2 * lastTook) : 0);
  if (!workspace.isUntouched) menu.forget();
  if (!isFromAddress) clearLink();
});

/** Shows another workspace. */
function show(apply: () => void): void {
  for (const one of document.querySelectorAll(".prerendered")) one.remove();
  showStory(false);
  update(undefined);
  covers.show(false);
  shownEntry = entry;
  isJustOpened = true;
  apply();
}

/** Counts replaced workspaces: each has its own notice with an undo button. */
let replacedCount = 0;

/** Replaces the workspace, and offers to undo that if it had changes. */
function replace(apply: () => void): void {
  const { isUntouched } = workspace;
  const restore = workspace.checkpoint();
  show(apply);
  if (isUntouched) return;
  // The draft of what was replaced stays.
  entry = shownEntry = newEntry();
  history.replaceState({ entry }, "");
  void isAlone();
  const key = `replaced-${replacedCount++}`;
  notice(key, "info", "Your changes were replaced.", {
    label: "Undo",
    testid: "undo-replace",
    run: () => {
      dismiss(key);
      replace(restore);
      manifests.focus();
    },
  });
}
const load = (saved: Saved, isExample: boolean) => replace(() => workspace.load(saved, isExample));
const menu = examples((saved) => load(saved, true));
leaveStory(workspace);

// Links.

shareForm(workspace, queue, (hash) => history.replaceState({ entry, isShared: true } satisfies Entry, "", hash), () => answer?.explanation);
useForm(workspace);
byId("ways").append(
  ...(["docs", "install", "repository"] as const).map((name) => element("a", { href: addresses[name] }, name)),
);
download(workspace, () => result.files());

/**
 * Whether the workspace comes from the address: a link, or the default if there is none or
 * it is broken.
 */
let isFromAddress = true;

/** Removes the link from the address once the workspace differs: a reload would replace newer work. */
function clearLink(): void {
  if (location.hash) history.replaceState({ entry }, "", location.pathname + location.search);
}

/** `#manifests`, the target of the skip link, is an anchor and not a workspace link. */
const isAnchor = () => document.getElementById(location.hash.slice(1)) !== null;

async function openLink(): Promise<boolean> {
  const { hash } = location;
  if (isAnchor()) return false;
  const opened = await open(hash);
  if (opened.kind === "broken") notice("link", "error", opened.message);
  // The address may have changed in the meantime.
  if (opened.kind !== "workspace" || hash !== location.hash) return false;
  dismiss("link");
  isFromAddress = true;
  load(opened.saved, false);
  const withheld = opened.saved.withheld?.length ?? 0;
  if (withheld > 0) notice("link", "info", `The link has placeholders instead of the values of ${pluralize(withheld, "sensitive output")}.`);
  isFromAddress = false;
  return true;
}

/** Workspaces as they were when the user left them, by entry of the browser's history. */
const left = new Map<string, () => void>();
/** What `history.state` holds. */
interface Entry {
  entry: string;
  /** The link in the address was made from what this entry shows. */
  isShared?: boolean;
}
const state = () => history.state as Entry | null;
// Pages without HTTPS have no randomUUID.
const newEntry = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
let entry = state()?.entry ?? newEntry();
/** The entry whose workspace is shown: a link takes a moment to open. */
let shownEntry = entry;

/** Whether the address, rather than a draft, says what to show. */
const isLink = () => location.hash !== "" && !isAnchor() && state()?.isShared !== true;

/** Shows what an entry of the history shows already, without an undo. */
function showEntry(apply: () => void): void {
  isFromAddress = true;
  show(apply);
  isFromAddress = false;
}

function arrive(): void {
  if (state()?.entry === entry) return;
  if (isAnchor()) return history.replaceState({ entry }, "");
  if (shownEntry === entry) left.set(entry, workspace.checkpoint());
  entry = state()?.entry ?? newEntry();
  history.replaceState({ ...state(), entry }, "");
  void isAlone();
  const restore = left.get(entry);
  if (restore) showEntry(restore);
  else if (isLink()) void openLink();
  else if (!openDraft()) showEntry(() => workspace.load(first.saved, true));
}
for (const event of ["popstate", "hashchange"]) addEventListener(event, arrive);

/** Shows the draft of this entry of the history, if there is one. */
function openDraft(): boolean {
  const draft = draftOf(entry);
  if (!draft) return false;
  showEntry(() => workspace.load(draft.saved, false));
  notice("draft", "info", `Your work was restored${draft.missing ? ` without ${draft.missing}` : ""}.`);
  return true;
}

/** Whether no other tab shows this entry: a duplicated tab has the same. */
const isAlone = () =>
  new Promise<boolean>((resolve) => {
    if (!navigator.locks) return resolve(true);
    const held = navigator.locks.request(`landfall ${entry}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // Until the tab is closed.
      return lock && new Promise(() => {});
    });
    held.catch(() => resolve(true));
  });

// Files.

/** Asks the core. Without its answer, files are manifests: sharing asks it again. */
const sort: Sort = async (files) => {
  let outcome;
  do outcome = await queue.submit({ kind: "classify", files });
  while (outcome.kind === "stale");
  return files.map((_, nth) => outcome.kind === "done" && outcome.value[nth]!.isOutputs);
};

/** Moves a document that was pasted into the wrong pane. */
async function sortPasted(doc: Doc, before: string): Promise<void> {
  const { text } = doc;
  const [isOutputs] = await sort([{ path: doc.path, content: text }]);
  const side = isOutputs ? "outputs" : "manifests";
  const isKnown = isOutputs || /^["']?(apiVersion|kind)\b/m.test(text);
  const isHere = () => workspace.find(doc.key) === doc && doc.text === text;
  if (side === doc.side || !isKnown || !isHere()) return;
  if (doc.side === "outputs") {
    // A ConfigMap or a Secret may hold outputs.
    const outcome = await queue.submit({ kind: "redact", ...secretsOf(workspace) });
    if (!isHere() || outcome.kind !== "done" || outcome.value.redacted[workspace.of("outputs").indexOf(doc)]) return;
  }
  const restore = workspace.checkpoint();
  pane(doc).change(doc, [{ from: 0, to: text.length, text: before }]);
  const path = { outputs: /^\s*\{/.test(text) ? "outputs.json" : "outputs.txt", manifests: "manifest.yaml" }[side];
  const empty = workspace.of(side).find(({ text }) => isBlank(text));
  const found = { path: empty?.path ?? workspace.freePath(side, path), file: new Blob([text]), isFromFolder: false };
  await takeFiles(Promise.resolve([found]), "Recognized and moved. ", restore);
  showPane(side);
}

async function takeFiles(incoming: Promise<Incoming[]>, what = "", restore?: () => void): Promise<void> {
  notice("file", "info", "Reading…");
  try {
    const { text: report, hasErrors, undo: restored } = await importFiles(workspace, await incoming, sort);
    const [text, undo] = [`${what}${report}`, restore ?? restored];
    const action = undo && {
      label: "Undo",
      testid: "undo-files",
      run: () => {
        dismiss("file");
        replace(undo);
      },
    };
    notice("file", hasErrors ? "error" : "info", text, action);
  } catch {
    notice("file", "error", "The browser could not read these files.");
  }
}
const input = byId<HTMLInputElement>("file-input");
byId("open-files").addEventListener("click", () => input.click());
byId("document-open").addEventListener("click", () => {
  byId<HTMLDialogElement>("document-form").close();
  input.click();
});
input.addEventListener("change", () => {
  const files = [...(input.files ?? [])].map((file) => ({ path: file.name, file, isFromFolder: false }));
  void takeFiles(Promise.resolve(files)).then(() => (input.value = ""));
});
const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
// In the capture phase, before the editors, which would insert the text of a dropped file.
addEventListener(
  "dragover",
  (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    byId("drop-here").hidden = false;
  },
  true,
);
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) byId("drop-here").hidden = true;
});
addEventListener(
  "drop",
  (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.stopPropagation();
    byId("drop-here").hidden = true;
    void takeFiles(droppedFiles(event.dataTransfer));
  },
  true,
);

// Which pane and which list are visible.

function showPane(name: string): void {
  byId("panes").dataset["pane"] = name;
  for (const button of document.querySelectorAll<HTMLElement>(".switch button")) {
    button.setAttribute("aria-pressed", String(button.dataset["pane"] === name));
  }
  if (name === "result") result.revealLit();
}
for (const button of document.querySelectorAll<HTMLElement>(".switch button")) {
  button.addEventListener("click", () => showPane(button.dataset["pane"] ?? "manifests"));
}
const LISTS = ["substitutions", "problems"] as const;
function showBelow(list: (typeof LISTS)[number]): void {
  for (const one of LISTS) {
    const is = one === list;
    byId(`${one}-tab`).setAttribute("aria-selected", String(is));
    byId(`${one}-tab`).tabIndex = is ? 0 : -1;
    byId(`${one}-panel`).hidden = !is;
  }
}
for (const one of LISTS) {
  for (const event of ["click", "focus"]) byId(`${one}-tab`).addEventListener(event, () => showBelow(one));
}
roving(byId("below-tabs"), () => LISTS.map((one) => byId(`${one}-tab`)), false);
byId("show-settings").addEventListener("click", () => {
  void import("./panes/settings_form").then(({ showSettings }) => showSettings(workspace, change));
});
byId("show-tools").addEventListener("click", () => {
  void import("./panes/tools_form").then(({ showTools }) => showTools({ workspace, change, jump, replace, answer: () => answer }));
});
byId("show-keys").addEventListener("click", () => byId<HTMLDialogElement>("keys").showModal());
addEventListener("keydown", ({ key, target }) => {
  const isText = (target as Element).closest?.("input, select, textarea, dialog, .cm-content[contenteditable=true]");
  if (key === "?" && !isText) byId<HTMLDialogElement>("keys").showModal();
});
document.querySelector("#document-form .cancel")?.addEventListener("click", () => {
  byId<HTMLDialogElement>("document-form").close();
});

// What is there when the page is opened.

/** Offers the newest work of another tab or of another day. */
function offerDraft(): void {
  const [newest] = drafts();
  if (!newest) return;
  const found = draftOf(newest.entry) ?? newest;
  const { manifests: [one], outputs: [other] } = found.saved;
  const what = (one ?? other)?.path ?? "documents";
  const without = found.missing && `, without ${found.missing}`;
  notice("draft", "info", `You have work from ${new Date(found.at).toLocaleDateString()}: ${what}${without}.`, {
    label: "Open it",
    testid: "open-draft",
    run: () => {
      dismiss("draft");
      load(found.saved, false);
      if (isKeptWhole(found.entry)) keepWhole(entry);
    },
  });
}

const isCopy = !(await isAlone());
if (isCopy) forgetSecrets();
keepDraft(workspace, secrets, () => entry, () => !isLink());
const isOpen = (isLink() && (await openLink())) || openDraft() || (state()?.isShared && (await openLink()));
if (isCopy) entry = shownEntry = newEntry();
const named = isOpen ? null : new URLSearchParams(location.search).get("example");
isFromAddress = true;
if (named && (await menu.openNamed(named))) offerDraft();
else if (!isOpen) {
  load(first.saved, true);
  showStory(isStory(first.name));
  // The module's own answer follows: it takes longest to arrive.
  const explanation = first.answer;
  update({ snapshot: inputOf(workspace).snapshot, explanation, substitutions: explanation.substitutions ?? [] });
  offerDraft();
}
history.replaceState({ ...state(), entry }, "");
isFromAddress = false;
