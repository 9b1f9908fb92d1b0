/**
 * Drafts: what is on the page stays in the browser's storage, so that a reload or a crash loses
 * nothing. Values of sensitive outputs and literal Secrets are left out, unless the user has them
 * kept in this tab until it is closed.
 */
import { pluralize } from "./answer";
import { byId } from "./dom";
import type { Judgement, Secrets } from "./secrets";
import { literalSecrets, validated, withoutSecrets } from "./share";
import type { Saved, Workspace } from "./state";

/** The newest drafts are kept, each of another tab. */
const MAX_DRAFTS = 5;
/** The longest draft, in characters; browsers store about 5 million. */
const MAX_LENGTH = 900_000;

const DRAFTS = "landfall.drafts";
const TAB = "landfall.tab";
/** The whole workspace, with its secrets, if the user has chosen that. */
const WHOLE = "landfall.whole";

export interface Draft {
  tab: string;
  /** Milliseconds since 1970. */
  at: number;
  saved: Saved;
  /** What is missing, for people: `the values of 2 sensitive outputs`. Empty for nothing. */
  missing: string;
}

/** Returns the stored drafts, newest first. What cannot be read counts as none. */
export function drafts(): Draft[] {
  const read = parsed(stored(() => localStorage.getItem(DRAFTS)));
  const found = Array.isArray(read) ? (read as Partial<Draft>[]) : [];
  return found.flatMap((one) => {
    try {
      return [{ tab: String(one.tab), at: Number(one.at), saved: validated(one.saved), missing: String(one.missing ?? "") }];
    } catch {
      return [];
    }
  });
}

/** Returns the draft of this tab, with its secrets if they were kept. */
export function draftOfTab(): Draft | undefined {
  const tab = stored(() => sessionStorage.getItem(TAB));
  const draft = tab ? drafts().find((one) => one.tab === tab) : undefined;
  if (!draft) return undefined;
  try {
    const whole = stored(() => sessionStorage.getItem(WHOLE));
    return whole ? { ...draft, saved: validated(parsed(whole)), missing: "" } : draft;
  } catch {
    return draft;
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

/** Stores the workspace after each pause in changes, if it is the user's own: neither an unchanged example nor that of a link. */
export function keepDraft(workspace: Workspace, secrets: Secrets, isOwn: () => boolean): void {
  const tab = stored(() => sessionStorage.getItem(TAB)) ?? crypto.randomUUID();
  const words = byId("draft-words");
  const choice = byId<HTMLButtonElement>("draft-secrets");
  let isWhole = stored(() => sessionStorage.getItem(WHOLE)) != null;

  const show = (text: string, missing = "") => {
    words.textContent = words.title = text;
    choice.hidden = missing === "" && !isWhole;
    choice.textContent = choice.hidden ? "" : isWhole ? "Forget secrets" : "Keep secrets in this tab";
  };
  const others = () => drafts().filter((one) => one.tab !== tab);
  const keep = (judged: Judgement) => {
    if (workspace.isUntouched || !isOwn()) return;
    const { saved, classified } = judged;
    const length = [...saved.manifests, ...saved.outputs].reduce((sum, { content }) => sum + content.length, 0);
    if (length > MAX_LENGTH) return show("Too large to keep in this browser: a reload loses it.");
    const literal = new Set(saved.manifests.flatMap(({ path }, nth) => (classified[nth]!.secrets.length > 0 ? [path] : [])));
    const redaction = withoutSecrets(saved, judged);
    const before = drafts().find((one) => one.tab === tab)?.saved.outputs ?? [];
    const draft: Draft = {
      tab,
      at: Date.now(),
      saved: {
        ...redaction.saved,
        manifests: redaction.saved.manifests.filter(({ path }) => !literal.has(path)),
        // In an invalid document the secrets are unknown: what it was before stays.
        outputs: redaction.saved.outputs.map((one) =>
          redaction.leftOut.includes(one.path) ? (before.find(({ path }) => path === one.path) ?? one) : one,
        ),
      },
      missing: [
        ...(redaction.withheld.length > 0 ? [`the values of ${pluralize(redaction.withheld.length, "sensitive output")}`] : []),
        ...literalSecrets(saved, classified),
        ...redaction.misplaced,
        ...redaction.leftOut.map((path) => `changes to ${path}, whose secrets are unknown`),
      ].join(", "),
    };
    const isKept = stored(() => {
      sessionStorage.setItem(TAB, tab);
      if (isWhole) sessionStorage.setItem(WHOLE, JSON.stringify(saved));
      localStorage.setItem(DRAFTS, JSON.stringify([draft, ...others()].slice(0, MAX_DRAFTS)));
      return true;
    });
    if (!isKept) return show("This browser keeps no drafts: a reload loses your changes.");
    if (isWhole) show("Kept in this tab, with secrets.");
    else show(draft.missing ? `Kept in this browser without ${draft.missing}.` : "Kept in this browser.", draft.missing);
  };
  choice.addEventListener("click", () => {
    isWhole = !isWhole;
    if (!isWhole) stored(() => sessionStorage.removeItem(WHOLE));
    void secrets.judge();
  });
  secrets.listen(keep);
  workspace.listen(() => {
    if (workspace.isUntouched) show("");
  });
}
