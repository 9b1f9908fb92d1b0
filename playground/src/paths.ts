/** Validates the paths, names and formats of documents. */

/** A binding name, as references use it. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** The id of a format. */
export const FORMAT = /^[a-z0-9][a-z0-9-]*$/;

const MAX_LENGTH = 200;

/**
 * Returns what is wrong with a path and what to do about it; `""` for a path that is
 * valid on every operating system and does not conflict with `others`.
 */
export function pathProblem(path: string, others: string[]): string {
  if (!path) return "A file needs a name.";
  if (path.length > MAX_LENGTH) return `This path has ${path.length} characters; the limit is ${MAX_LENGTH}.`;
  // Control characters, and those that change the text direction.
  if (/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(path)) {
    return "The path contains an invisible character; retype it.";
  }
  if (/\\|^[A-Za-z]:/.test(path)) return "Use / between folders and no drive letter, as in apps/shop.yaml.";
  if (path.split("/").some((part) => /^\.{0,2}$/.test(part))) {
    return "Use a single / between folders and file, as in apps/shop.yaml, without . or ..";
  }
  for (const other of others) {
    if (other === path) return `${other} already exists.`;
    if (other.startsWith(`${path}/`)) return `${path} is the folder of ${other}; choose another name.`;
    if (path.startsWith(`${other}/`)) return `${other} is a file, not a folder; choose another folder.`;
  }
  return "";
}
