/** Files and folders that come from outside: read, judged, and put where they belong. */
import { size } from "./dom";
import { DOCUMENT_LIMIT, type Doc, type Side, type Workspace } from "./state";

export interface Incoming {
  path: string;
  file: Blob;
  /** Out of a folder: there only manifests and outputs documents are wanted. */
  isFromFolder: boolean;
}

export type Read = { text: string } | { refused: string };

/** More files than a page can show tabs for. */
export const MOST_FILES = 300;

/** What the command leaves out of a folder, too. */
const NO_MANIFEST = /(^|\/)(\..*|kustomization\.ya?ml|Kustomization|Kptfile|Chart\.(ya?ml|lock)|values\.ya?ml)$/;
const HIDDEN_FOLDER = /(^|\/)\.[^/]+\//;
const MANIFEST = /\.(ya?ml|json)$/i;

/** The text of a file, with a byte order mark where it has one; or why it is not taken. */
export async function read(file: Blob): Promise<Read> {
  if (file.size > DOCUMENT_LIMIT) {
    return { refused: `has ${size(file.size)}; here a document may have ${size(DOCUMENT_LIMIT)}. The command line takes more.` };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { refused: "is UTF-16; write it as UTF-8." };
  }
  if (bytes.subarray(0, 65_536).includes(0)) return { refused: "is not text." };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { refused: "is not UTF-8 text." };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `terraform output -json`: an object whose members all have a `value`. */
export function isOutputs(text: string): boolean {
  if (!/^\uFEFF?\s*\{/.test(text)) return false;
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (!isObject(parsed)) return false;
    const members = Object.values(parsed);
    return members.length > 0 && members.every((member) => isObject(member) && "value" in member);
  } catch {
    return false;
  }
}

/** The files of a drop, folders walked through. */
export async function dropped(transfer: DataTransfer): Promise<Incoming[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) {
    return [...transfer.files].map((file) => ({ path: file.name, file, isFromFolder: false }));
  }
  const found: Incoming[] = [];
  for (const entry of entries) await walk(entry, false, found);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(entry: FileSystemEntry, isFromFolder: boolean, found: Incoming[]): Promise<void> {
  // One more than is taken, so that it can be told.
  if (found.length > MOST_FILES) return;
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path, file, isFromFolder });
    return;
  }
  if (/(^|\/)(\.|node_modules$)/.test(path)) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Browsers give a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await walk(one, true, found);
  }
}

const OTHER = { manifests: "outputs", outputs: "manifests" } as const;

/** What was done with files, for people. */
export interface Told {
  text: string;
  isWrong: boolean;
  /** Puts the texts back that others took the place of. */
  undo?: () => void;
}

/** Reads files into the workspace. */
export async function take(workspace: Workspace, incoming: Incoming[]): Promise<Told> {
  const refused: string[] = [];
  const left: string[] = [];
  const taken: { side: Side; path: string; content: string }[] = [];
  if (incoming.length > MOST_FILES) refused.push(`Only the first ${MOST_FILES} files were looked at.`);
  for (const { path, file, isFromFolder } of incoming.slice(0, MOST_FILES)) {
    const name = path.replace(/^.*\//, "");
    if (isFromFolder && (NO_MANIFEST.test(path) || HIDDEN_FOLDER.test(path) || !MANIFEST.test(path))) {
      left.push(name);
      continue;
    }
    const one = await read(file);
    if ("refused" in one) refused.push(`${name} ${one.refused}`);
    else taken.push({ side: isOutputs(one.text) ? "outputs" : "manifests", path, content: one.text });
  }

  // Somebody's own files do not mix with those of an example.
  const sides = new Set(taken.map((one) => one.side));
  const away = [...sides].filter((side) => workspace.clearExample(side));
  const stay = away.length === 1 && OTHER[away[0]!];
  const done = { manifests: [] as string[], outputs: [] as string[] };
  const before: [Doc, string][] = [];
  for (const { side, path, content } of taken) {
    const there = workspace.of(side).find((doc) => doc.path === path);
    if (there && there.text !== content) before.push([there, there.text]);
    const bound = there?.name || workspace.freeName(path);
    const how = workspace.put(side, { path, content, ...(side === "outputs" && { name: bound }) });
    const as = side === "outputs" ? ` (bound as ${bound})` : "";
    done[side].push(`${path.replace(/^.*\//, "")}${as}${how === "replaced" ? " (replaced)" : ""}`);
  }
  const list = (names: string[]) =>
    names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  const said = [
    done.manifests.length > 0 ? `Manifests: ${list(done.manifests)}.` : "",
    done.outputs.length > 0 ? `Outputs: ${list(done.outputs)}.` : "",
    left.length > 0 ? `Left out: ${list(left)}.` : "",
    ...refused.slice(0, 4),
    refused.length > 4 ? `${refused.length - 4} more were refused.` : "",
    away.length === 2 ? "The example was put away." : "",
    stay ? `The example's ${away[0]} were put away${workspace.examplesOf(stay).length > 0 ? `; its ${stay} stay until yours come` : ""}.` : "",
  ];
  return {
    text: said.filter(Boolean).join(" ") || "Nothing was found there.",
    isWrong: refused.length > 0,
    ...(before.length > 0 && {
      undo: () => {
        for (const [doc, text] of before) if (workspace.docs.includes(doc)) workspace.edit(doc, text, "page");
      },
    }),
  };
}
