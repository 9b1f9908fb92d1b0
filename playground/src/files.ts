/** Imports dropped and opened files and folders: reads them and sorts them into manifests and outputs. */
import { size } from "./dom";
import { DOCUMENT_LIMIT, type Workspace } from "./state";

export interface Incoming {
  path: string;
  file: Blob | (() => Promise<Blob>);
  /** Whether the file is in a folder: only its manifests and outputs are imported. */
  isFromFolder: boolean;
}

export type ReadResult = { text: string } | { refused: string };

/** The maximum number of files imported at once, and how many characters they may have together. */
export const MAX_FILES = 300;
const MAX_TOTAL = 2 * DOCUMENT_LIMIT;

/** Files in a folder that are not manifests: dotfiles and files of kustomize, kpt, Helm. */
const IGNORED = /(^|\/)(\..*|kustomization\.ya?ml|Kustomization|Kptfile|Chart\.(ya?ml|lock)|values\.ya?ml)$/;
const HIDDEN_FOLDER = /(^|\/)\.[^/]+\//;
const MANIFEST = /\.(ya?ml|json)$/i;

/** Returns the text of a file, with its byte order mark if it has one, or why it is refused. */
export async function readText(file: Blob): Promise<ReadResult> {
  if (file.size > DOCUMENT_LIMIT) {
    return { refused: `is ${size(file.size)}; the page accepts up to ${size(DOCUMENT_LIMIT)} per document. Use the command line for larger files.` };
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { refused: "is UTF-16; convert it to UTF-8." };
  }
  if (bytes.subarray(0, 65_536).includes(0)) return { refused: "is not text." };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { refused: "is not UTF-8 text." };
  }
}

/** Returns the dropped files, including those in dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Incoming[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) {
    return [...transfer.files].map((file) => ({ path: file.name, file, isFromFolder: false }));
  }
  const found: Incoming[] = [];
  for (const entry of entries) await walk(entry, false, found);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(entry: FileSystemEntry, isFromFolder: boolean, found: Incoming[]): Promise<void> {
  // One more than the limit, so that the limit can be reported.
  if (found.length > MAX_FILES) return;
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path, file, isFromFolder });
    return;
  }
  if (/(^|\/)(\.|node_modules$)/.test(path)) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Browsers return a hundred entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await walk(one, true, found);
  }
}

const OTHER = { manifests: "outputs", outputs: "manifests" } as const;

/** The result of an import. */
export interface ImportReport {
  /** A summary for the notice. */
  text: string;
  hasErrors: boolean;
  /** Restores the workspace. */
  undo?: () => void;
}

/** Returns for each file whether it holds outputs rather than manifests. */
export type Sort = (files: { path: string; content: string }[]) => Promise<boolean[]>;

const nameOf = (path: string): string => path.replace(/^.*\//, "");

/** Replaces archives by their files, whose paths are those of a folder; reports archives that cannot be read. */
async function unpacked(incoming: Incoming[], refused: string[]): Promise<Incoming[]> {
  const found: Incoming[] = [];
  for (const one of incoming) {
    if (!/\.zip$/i.test(one.path) || one.isFromFolder || !(one.file instanceof Blob)) {
      found.push(one);
      continue;
    }
    const { isInside, unzip } = await import("./take_away");
    try {
      const files = await unzip(one.file);
      const climbing = files.filter(({ path }) => !isInside(path));
      if (climbing.length > 0) refused.push(`${nameOf(one.path)} has paths outside its folder, such as ${climbing[0]!.path}; they were not read.`);
      // The page's own download: its result is no source.
      const isDownload = ["manifests/", "rendered/"].every((folder) => files.some(({ path }) => path.startsWith(folder)));
      for (const { path, unpack } of files) {
        if (isInside(path) && !(isDownload && path.startsWith("rendered/"))) found.push({ path: path.replace(/\p{Cc}/gu, "_").slice(-200), file: unpack, isFromFolder: true });
      }
    } catch (error) {
      refused.push(`${nameOf(one.path)} ${error instanceof RangeError ? error.message : "cannot be read."}`);
    }
  }
  return found;
}

/** Reads a file, or one of an archive. */
async function readIncoming(file: Incoming["file"]): Promise<ReadResult> {
  if (file instanceof Blob) return readText(file);
  try {
    return await readText(await file());
  } catch (error) {
    return { refused: error instanceof RangeError ? error.message : "cannot be unpacked." };
  }
}

/** Imports files into the workspace. */
export async function importFiles(workspace: Workspace, dropped: Incoming[], sort: Sort): Promise<ImportReport> {
  const refused: string[] = [];
  const ignored: string[] = [];
  const read: { path: string; content: string }[] = [];
  const incoming = await unpacked(dropped, refused);
  if (incoming.length > MAX_FILES) refused.push(`Only the first ${MAX_FILES} files were read.`);
  let total = 0;
  for (const { path, file, isFromFolder } of incoming.slice(0, MAX_FILES)) {
    if (total > MAX_TOTAL) {
      refused.push(`The files are larger than ${size(MAX_TOTAL)} together; ${nameOf(path)} and what follows was not read.`);
      break;
    }
    const name = nameOf(path);
    if (isFromFolder && (IGNORED.test(path) || HIDDEN_FOLDER.test(path) || !MANIFEST.test(path))) {
      ignored.push(name);
      continue;
    }
    const one = await readIncoming(file);
    if ("refused" in one) refused.push(`${name} ${one.refused}`);
    else read.push({ path, content: one.text });
    if ("text" in one) total += one.text.length;
  }
  const areOutputs = await sort(read);
  const accepted = read.map((one, nth) => ({ ...one, side: areOutputs[nth] ? "outputs" : "manifests" }) as const);

  const restore = workspace.checkpoint();
  // Imported files replace those of an example rather than joining them.
  const sides = new Set(accepted.map((one) => one.side));
  const cleared = [...sides].filter((side) => workspace.clearExample(side));
  const kept = cleared.length === 1 && OTHER[cleared[0]!];
  const imported = { manifests: [] as string[], outputs: [] as string[] };
  let isChanged = cleared.length > 0;
  for (const { side, path, content } of accepted) {
    const existing = workspace.of(side).find((doc) => doc.path === path);
    isChanged ||= existing?.text !== content;
    const bound = existing?.name || workspace.freeName(path);
    const how = workspace.put(side, { path, content, ...(side === "outputs" && { name: bound }) });
    const as = side === "outputs" ? ` (bound as ${bound})` : "";
    imported[side].push(`${nameOf(path)}${as}${how === "replaced" ? " (replaced)" : ""}`);
  }
  const list = (names: string[]) =>
    names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  const sentences = [
    imported.manifests.length > 0 ? `Manifests: ${list(imported.manifests)}.` : "",
    imported.outputs.length > 0 ? `Outputs: ${list(imported.outputs)}.` : "",
    ignored.length > 0 ? `Ignored: ${list(ignored)}.` : "",
    ...refused.slice(0, 4),
    refused.length > 4 ? `${refused.length - 4} more were rejected.` : "",
    cleared.length === 2 ? "The example was removed." : "",
    kept ? `The example's ${cleared[0]} were removed${workspace.examplesOf(kept).length > 0 ? `; its ${kept} stay until you add your own` : ""}.` : "",
  ];
  return {
    text: sentences.filter(Boolean).join(" ") || "No files were found.",
    hasErrors: refused.length > 0,
    ...(isChanged && { undo: restore }),
  };
}
