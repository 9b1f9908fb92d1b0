/** Writes zip archives, without compression. */

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

/** 1 January 1980, the earliest date in a zip: equal files give equal archives. */
const DATE = (1 << 5) | 1;
/** The flag for names in UTF-8. */
const UTF8 = 1 << 11;

/** Characters that some operating system does not allow in file names; names are limited to 255 bytes. */
const FORBIDDEN = /[\p{Cc}\p{Cs}<>:"|?*]/gu;
const LONG = /^(.{100}).*?(\.[^.]{1,10})?$/su;
const MAX_FOLDERS = 20;

/** Returns a path that is valid on every operating system and stays inside the folder that the archive is unpacked to. */
export const safePath = (path: string): string =>
  path
    .replace(/^[A-Za-z]:/, "")
    .split(/[/\\]/)
    // Windows drops trailing dots and spaces, so that `. .` would become `..`.
    .map((part) => part.replace(FORBIDDEN, "_").replace(LONG, "$1$2").replace(/[. ]+$/, ""))
    .filter(Boolean)
    .slice(-MAX_FOLDERS)
    .join("/") || "file";

/** Returns safe paths without duplicates or file/folder conflicts, also on case-insensitive file systems. */
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

/** Encodes numbers in little endian, in alternating groups of four and two bytes, as in all records of a zip. */
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
