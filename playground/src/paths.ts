/** Which names a document may be given. */

const LONGEST = 200;

/** What is wrong with a path beside others, and what to do; nothing for one that every system takes. */
export function unfit(path: string, others: string[]): string {
  if (!path) return "A file needs a name.";
  if (path.length > LONGEST) return `This has ${path.length} characters; take ${LONGEST} at most.`;
  // Those of control, and those that turn the direction of reading round.
  if (/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(path)) {
    return "A character in this cannot be seen; type the name anew.";
  }
  if (/\\|^[A-Za-z]:/.test(path)) return "Write / between folders and leave out the drive, as in apps/shop.yaml.";
  if (path.split("/").some((part) => /^\.{0,2}$/.test(part))) {
    return "Write the folders and the file with one / between them, as in apps/shop.yaml, without . and ..";
  }
  for (const other of others) {
    if (other === path) return `There is a ${other} already.`;
    if (other.startsWith(`${path}/`)) return `${path} is the folder of ${other} already; take another name.`;
    if (path.startsWith(`${other}/`)) return `${other} is a file, which holds no others; take another folder.`;
  }
  return "";
}
