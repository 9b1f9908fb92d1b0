/**
 * Drafts: what is on the page stays in the browser's storage, so that a reload or a crash loses
 * nothing. Each entry of the browser's history has its own. Values of sensitive outputs and literal
 * Secrets are left out, unless the user has them kept in this tab until it is closed.
 */
import { pluralize } from "./answer";
import { byId } from "./dom";
import type { WorkspaceSensitivity, Secrets } from "./secrets";
import { secretsIn, validated, withoutSecrets } from "./share";
import type { Saved, Workspace } from "./state";

/** How many drafts are kept: the newest. */
const MAX_DRAFTS = 10;
/** The longest draft, in characters; browsers store about 5 million. */
const MAX_LENGTH = 450_000;

const DRAFTS = "landfall.drafts";
/** The whole workspace of an entry, with its secrets, if the user has chosen that. */
const WHOLE = "landfall.whole ";

export interface Draft {
  /** The entry of the browser's history that it belongs to. */
  entry: string;
  /** Milliseconds since 1970. */
  at: number;
  saved: Saved;
  /** What is missing, for people: `the values of 2 sensitive outputs`. Empty for nothing. */
  missing: string;
}

/** Returns the stored drafts, newest first. What cannot be read counts as none. */
export function drafts(): Draft[] {
  const read = parsed(stored(() => localStorage.getItem(DRAFTS)));
  return (Array.isArray(read) ? read : []).flatMap((one) => draft(one) ?? []);
}

/** Returns the draft of an entry, with its secrets if they were kept. */
export function draftOf(entry: string): Draft | undefined {
  const whole = draft(parsed(wholeOf(entry)));
  return whole ?? drafts().find((one) => one.entry === entry);
}

const wholeOf = (entry: string) => stored(() => sessionStorage.getItem(WHOLE + entry));

/** Returns whether an entry is kept in this tab, with its secrets. */
export const isKeptWhole = (entry: string): boolean => wholeOf(entry) != null;

/** Has an entry kept in this tab from now on, with its secrets. */
export function keepWhole(entry: string): void {
  stored(() => sessionStorage.setItem(WHOLE + entry, "null"));
}

/** Forgets the secrets of the tab that this one is a copy of. */
export function forgetSecrets(): void {
  stored(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(WHOLE)) sessionStorage.removeItem(key);
  });
}

function draft(value: unknown): Draft | undefined {
  try {
    const { entry, at, saved, missing } = value as Record<string, unknown>;
    return { entry: String(entry), at: Number(at), saved: validated(saved), missing: String(missing ?? "") };
  } catch {
    return undefined;
  }
}

/** A browser may refuse its storage to a page. */
function stored<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

/** Returns what of a workspace is stored, and what is missing in it. `before` is what was stored last. */
function storable(sensitivity: WorkspaceSensitivity, before: Saved | undefined): Pick<Draft, "saved" | "missing"> & { lost: string[] } {
  const { saved, classified } = sensitivity;
  const secrets = classified.map((one) => secretsIn(one).join(", "));
  const literal = new Map(saved.manifests.flatMap(({ path }, nth) => (secrets[nth] ? [[path, secrets[nth]]] : [])));
  const redaction = withoutSecrets(saved, sensitivity);
  const withheld = [...redaction.withheld];
  // In an invalid document the secrets are unknown: what it was before stays.
  const outputs = redaction.saved.outputs.map((one) => {
    const isUnknown = redaction.leftOut.includes(one.path) && !one.sensitive;
    const known = isUnknown && before?.outputs.find(({ path, name }) => path === one.path && name === one.name);
    if (known) withheld.push(...(before?.withheld ?? []).filter((name) => name.startsWith(`${one.name}.`)));
    return known || one;
  });
  const manifests = redaction.saved.manifests.filter(({ path }) => !literal.has(path));
  const missing = [
    ...(redaction.withheld.length > 0 ? [`the values of ${pluralize(redaction.withheld.length, "sensitive output")}`] : []),
    ...[...literal].map(([path, what]) => `${path}, which has ${what} in plain text`),
    ...redaction.misplaced,
    ...redaction.leftOut.map((path) => `changes to ${path}, whose secrets are unknown`),
  ];
  return { saved: { ...redaction.saved, manifests, outputs, withheld }, missing: missing.join(", "), lost: [...literal.keys()] };
}

/** Stores the workspace after each pause in changes, if it is the user's own: neither an unchanged example nor that of a link. */
export function keepDraft(workspace: Workspace, secrets: Secrets, entryNow: () => string, isOwn: () => boolean): void {
  const words = byId("draft-words");
  const choice = byId<HTMLButtonElement>("draft-secrets");
  const whole = () => WHOLE + entryNow();
  const isWhole = () => isKeptWhole(entryNow());

  const show = (text: string, missing = "") => {
    words.textContent = words.title = text;
    words.classList.remove("is-loss");
    choice.hidden = missing === "" && !isWhole();
    choice.textContent = choice.hidden ? "" : isWhole() ? "Forget secrets" : "Keep secrets in this tab";
  };
  const keep = (sensitivity: WorkspaceSensitivity) => {
    if (workspace.isUntouched || !isOwn()) return show("");
    const [entry, at, { saved }] = [entryNow(), Date.now(), sensitivity];
    const length = [...saved.manifests, ...saved.outputs].reduce((sum, { content }) => sum + content.length, 0);
    if (length > MAX_LENGTH) {
      // What was kept is no longer what is there.
      stored(() => sessionStorage.removeItem(whole()));
      return show("Too large to keep in this browser: a reload loses the last changes.");
    }
    const all = drafts();
    const { missing, lost, ...safe } = storable(sensitivity, all.find((one) => one.entry === entry)?.saved);
    const kept: Draft[] = [{ entry, at, ...safe, missing }, ...all.filter((one) => one.entry !== entry)];
    // The storage may be full: the newest is worth more than older ones.
    const fits = (count: number) => stored(() => (localStorage.setItem(DRAFTS, JSON.stringify(kept.slice(0, count))), true));
    const isKept = [MAX_DRAFTS, 3, 1].some(fits);
    if (!isKept) return show("This browser keeps no drafts: a reload loses your changes.");
    const isWithSecrets = isWhole() && stored(() => (sessionStorage.setItem(whole(), JSON.stringify({ entry, at, saved, missing: "" } satisfies Draft)), true));
    if (isWithSecrets) show("Kept in this tab, with secrets.");
    // First what a reload loses: a narrow window shows only the beginning.
    else show(`${lost.length > 0 ? `Not kept: ${lost.join(", ")}. ` : ""}Kept in this browser${missing && ` without ${missing}`}.`, missing);
    words.classList.toggle("is-loss", !isWithSecrets && lost.length > 0);
  };
  choice.addEventListener("click", () => {
    const wasWhole = isWhole();
    if (wasWhole) stored(() => sessionStorage.removeItem(whole()));
    else keepWhole(entryNow());
    show("");
    void secrets.ask();
  });
  secrets.listen(keep);
  secrets.stopped(() => {
    if (!workspace.isUntouched && isOwn()) show("The last changes are not kept: they could not be checked for secrets.");
  });
  workspace.listen(() => {
    if (workspace.isUntouched) show("");
  });
}
