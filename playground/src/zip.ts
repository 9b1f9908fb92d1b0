/** A zip without compression: enough for text that people take away at once. */

export interface Entry {
  path: string;
  content: Uint8Array;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

export function crc32(content: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of content) rest = (rest >>> 8) ^ TABLE[(rest ^ byte) & 0xff]!;
  return (rest ^ 0xffffffff) >>> 0;
}

/** The first day that a zip can tell: equal files give equal zips. */
const DATE = (1 << 5) | 1;
/** Names are UTF-8. */
const UTF8 = 1 << 11;

/** Systems have no characters like these in names, and no names longer than 255 bytes. */
const NO_NAME = /[\p{Cc}\p{Cs}<>:"|?*]/gu;
const LONG_NAME = /^(.{100}).*?(\.[^.]{1,10})?$/su;
const DEEPEST = 20;

/** A path that every system takes, and that stays inside the folder that a zip is unpacked into. */
export const safePath = (path: string): string =>
  path
    .replace(/^[A-Za-z]:/, "")
    .split(/[/\\]/)
    // Points and spaces at the end are dropped by Windows; so `. .` would lead out.
    .map((part) => part.replace(NO_NAME, "_").replace(LONG_NAME, "$1$2").replace(/[. ]+$/, ""))
    .filter(Boolean)
    .slice(-DEEPEST)
    .join("/") || "file";

/** Safe paths of which none is another one, or its folder, also where `A` is `a`. */
export function distinct(paths: string[]): string[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  return paths.map((path) => {
    let at = "";
    const parts = safePath(path).split("/");
    for (const [nth, part] of parts.entries()) {
      const isFile = nth === parts.length - 1;
      const [, stem = part, end = ""] = /^(.+?)(\.[^.]*)?$/s.exec(part) ?? [];
      const key = (name: string) => `${at}${name}`.normalize().toLowerCase();
      let name = part;
      for (let n = 2; files.has(key(name)) || (isFile && folders.has(key(name))); n++) name = `${stem}-${n}${end}`;
      (isFile ? files : folders).add(key(name));
      at += isFile ? name : `${name}/`;
    }
    return at;
  });
}

export function zip(entries: Entry[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  let directorySize = 0;
  const paths = distinct(entries.map((one) => one.path));
  for (const [nth, { content }] of entries.entries()) {
    const name = new TextEncoder().encode(paths[nth]);
    const about = [20, UTF8, 0, 0, DATE];
    const sizes = [crc32(content), content.length, content.length];
    const local = record([0x04034b50], about, sizes, [name.length, 0]);
    const central = record([0x02014b50], [20, ...about], sizes, [name.length, 0, 0, 0, 0], [0, at]);
    parts.push(local, name, new Uint8Array(content));
    directory.push(central, name);
    at += local.length + name.length + content.length;
    directorySize += central.length + name.length;
  }
  const end = record([0x06054b50], [0, 0, entries.length, entries.length], [directorySize, at], [0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** Numbers in little endian: groups of four bytes and of two take turns, as in all records of a zip. */
function record(...groups: number[][]): Uint8Array<ArrayBuffer> {
  const widths = groups.map((_, nth) => (nth % 2 === 0 ? 4 : 2));
  const length = groups.reduce((sum, group, nth) => sum + group.length * widths[nth]!, 0);
  const view = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const [nth, group] of groups.entries()) {
    for (const number of group) {
      if (widths[nth] === 4) view.setUint32(at, number, true);
      else view.setUint16(at, number, true);
      at += widths[nth]!;
    }
  }
  return new Uint8Array(view.buffer);
}
