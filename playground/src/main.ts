/** Puts the parts together: what is typed goes to the core, what it answers to the panes. */
import type { Fix } from "landfall";
import { ask, docOf, isCurrent, type Answer } from "./answer";
import { Queue } from "./core/queue";
import { keepSpares, start } from "./core/start";
import { byId, roving } from "./dom";
import { download } from "./download";
import { examples, first } from "./examples";
import { dropped, take, type Incoming } from "./files";
import { notice, withdraw } from "./notices";
import { completion } from "./panes/completion";
import { connectors } from "./panes/connectors";
import { DocumentsPane } from "./panes/documents";
import { hover } from "./panes/hover";
import { Problems } from "./panes/problems";
import { ResultPane } from "./panes/result";
import { Substitutions } from "./panes/substitutions";
import { trace } from "./panes/trace";
import { Provenance } from "./provenance";
import { open } from "./share";
import { shareForm } from "./share_form";
import { Workspace, type Doc, type Saved } from "./state";
import { theme } from "./theme";

/** How long typing must pause before it is rendered, at most, in milliseconds. */
const PAUSE = 25;

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
    // Not before the page has come to rest: it would compete with what is waited for.
    setTimeout(keepSpares, 500);
    byId("version").textContent = `landfall ${version}, module sha256:${digest}`;
    byId("version").title = byId("version").textContent ?? "";
  },
);

const fix = (one: Fix) => {
  const doc = answer && docOf(answer.asked, one.origin);
  // Its places are those of the answer; of a text that went on they would be others.
  if (!doc || !answer || !isCurrent(answer.asked, doc)) return;
  const edits = one.edits.map(({ range, text }) => ({ from: range.start.offset, to: range.end.offset, text }));
  pane(doc).change(doc, edits);
};
const outputs = new DocumentsPane("outputs", byId("outputs"), workspace, provenance, fix, []);
const manifests: DocumentsPane = new DocumentsPane("manifests", byId("manifests"), workspace, provenance, fix, [
  completion(workspace, queue, () => manifests),
  hover(provenance, () => manifests.marks),
]);
const pane = (doc: Doc) => (doc.side === "outputs" ? outputs : manifests);
const result = new ResultPane(workspace, provenance);
const jump = (doc: Doc, offset: number) => {
  showPane(doc.side);
  pane(doc).jump(doc, offset);
};
const problems = new Problems(jump, fix);
const substitutions = new Substitutions(provenance, jump);
trace(provenance);
connectors(outputs, manifests, result, provenance, workspace);
theme();

// From a change to its answer.

let answer: Answer | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
/** How long the last answer took, in milliseconds. */
let lastTook = PAUSE;
let isFirstAnswer = true;
/** Something was opened; what it has to say first is chosen with its answer. */
let isFresh = true;

function renew(next: Answer | undefined): void {
  answer = next;
  for (const part of [outputs, manifests, result, problems]) part.renew(next);
  // While something is wrong, what was rendered last stays in sight.
  const isRendered = !next || next.explanation.files !== undefined;
  markOld(!isRendered);
  if (!isRendered) return;
  provenance.renew(next, fileInSight(), isFresh ? "open" : "page");
  substitutions.renew(next, isFresh);
}

/** Says of what was rendered before that it was. */
function markOld(isOld: boolean): void {
  for (const id of ["substitutions-panel", "trace"]) byId(id).classList.toggle("old", isOld);
}

/** The open manifest's position in the last answer that rendered. */
function fileInSight(): number | undefined {
  const doc = workspace.open.manifests;
  const nth = doc ? answer?.asked.manifests.indexOf(doc) : undefined;
  return nth === undefined || nth < 0 ? undefined : nth;
}

async function render(): Promise<void> {
  clearTimeout(timer);
  document.documentElement.dataset["state"] = "busy";
  const { asked, input } = ask(workspace);
  const asking = performance.now();
  const outcome = await queue.ask({ kind: "explain", input });
  if (outcome.kind === "stale") return;
  // Changed meanwhile: the answer to that comes next.
  if (workspace.docs.some((doc) => !isCurrent(asked, doc))) return;
  document.documentElement.dataset["state"] = "ready";
  if (outcome.kind === "stopped") {
    const why = {
      time: `${outcome.message} It is tried again when something changes. The command line takes more time, and larger files.`,
      crash: `${outcome.message} That should not happen, whatever the documents hold. The module was started anew.`,
      load: `landfall could not be loaded: ${outcome.message}.`,
      input: `${outcome.message}. It is tried again when something changes.`,
    }[outcome.why];
    const told = outcome.why === "load" ? why : outcome.message;
    // What was told before is of another text.
    answer = undefined;
    outputs.renew(undefined);
    manifests.renew(undefined);
    result.stopped(told);
    problems.renew(undefined, told);
    markOld(true);
    if (outcome.why === "load") byId("version").textContent = "no module";
    notice("worker", "wrong", why, { label: "Try again", testid: "try-again", run: () => void render() });
    return;
  }
  lastTook = performance.now() - asking;
  withdraw("worker");
  const explanation = outcome.value;
  document.documentElement.dataset["rendered"] = String(explanation.files !== undefined);
  renew({ asked, explanation, substitutions: explanation.substitutions ?? [] });
  if (isFresh) showBelow(explanation.files ? "substitutions" : "problems");
  isFresh = false;
  if (!isFirstAnswer) return;
  isFirstAnswer = false;
  // The rest of the page comes while nobody waits, so that it works without a network later.
  setTimeout(() => {
    void Promise.allSettled([import("./zip"), import("./karpenter")]);
  }, 200);
}

workspace.listen((change) => {
  if (change === "open") {
    provenance.enter(fileInSight());
    return;
  }
  document.documentElement.dataset["state"] = "busy";
  clearTimeout(timer);
  // What is rendered at once needs no pause.
  timer = setTimeout(() => void render(), change === "text" ? Math.min(PAUSE, 2 * lastTook) : 0);
  if (!workspace.isUntouched) menu.forget();
  if (!isOfAddress) leaveLink();
});

/** Counts what was put away: each is brought back by its own notice. */
let putAway = 0;

/** Puts all documents away for others; what the person has made can be brought back. */
function replace(put: () => void): void {
  const { isUntouched } = workspace;
  const { manifests: manifest, outputs: document } = workspace.open;
  const bringBack = workspace.keep();
  renew(undefined);
  isFresh = true;
  put();
  if (isUntouched) return;
  const key = `put-away-${putAway++}`;
  const path = (manifest ?? document)?.path ?? "your documents";
  notice(key, "told", `What you had in ${path} was put away.`, {
    label: "Undo",
    testid: "undo-replace",
    run: () => {
      withdraw(key);
      replace(bringBack);
      manifests.focus();
    },
  });
}
const load = (saved: Saved, isExample: boolean) => replace(() => workspace.load(saved, isExample));
const menu = examples((saved) => load(saved, true));

// Links.

shareForm(workspace);
download(workspace, () => result.files());

/** What the page is given belongs to its address: a link, or what stands in for one that is broken. */
let isOfAddress = true;

/** The address tells no longer what is in the page: a reload would put older work in its place. */
function leaveLink(): void {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
}

async function openLink(): Promise<boolean> {
  const { hash } = location;
  // The way past the header is a place in the page.
  if (document.getElementById(hash.slice(1))) return false;
  const opened = await open(hash);
  if (opened.kind === "broken") notice("link", "wrong", opened.message);
  // Another one may have come meanwhile.
  if (opened.kind !== "workspace" || hash !== location.hash) return false;
  withdraw("link");
  isOfAddress = true;
  load(opened.saved, false);
  isOfAddress = false;
  return true;
}
addEventListener("hashchange", () => void openLink());

// Files.

async function takeFiles(incoming: Promise<Incoming[]>): Promise<void> {
  notice("file", "told", "Reading…");
  try {
    const told = await take(workspace, await incoming);
    const { undo } = told;
    const back = undo && {
      label: "Undo",
      testid: "undo-files",
      run: () => {
        undo();
        notice("file", "told", "What was replaced is back.");
      },
    };
    notice("file", told.isWrong ? "wrong" : "told", told.text, back);
  } catch {
    notice("file", "wrong", "The browser could not read these files.");
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
// Before the editors, which would take a file's text as if it were typed.
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
    void takeFiles(dropped(event.dataTransfer));
  },
  true,
);

// Which part is to be seen.

function showPane(name: string): void {
  byId("panes").dataset["pane"] = name;
  for (const button of document.querySelectorAll<HTMLElement>(".switch button")) {
    button.setAttribute("aria-pressed", String(button.dataset["pane"] === name));
  }
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
byId("show-problems").addEventListener("click", () => {
  byId("problems-tab").focus();
  byId("problems-panel").scrollIntoView({ block: "nearest" });
});
document.querySelector("#document-form .cancel")?.addEventListener("click", () => {
  byId<HTMLDialogElement>("document-form").close();
});

if (!(await openLink())) load(first, true);
isOfAddress = false;
