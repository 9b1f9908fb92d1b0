/** Reads zip archives that somebody drops: the files in it, each unpacked when it is asked for. */
import { DOCUMENT_LIMIT } from "./state";
import { crc32 } from "./zip";

export interface Packed {
  path: string;
  unpack: () => Promise<Blob>;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;

/**
 * Returns the files of an archive.
 *
 * Throws a `RangeError` with a reason, after the archive's name, if it is no archive that can be
 * read: cut off, encrypted, of several parts or in the format for more than 65,535 files.
 */
export async function unzip(archive: Blob): Promise<Packed[]> {
  const broken = () => new RangeError("is not a zip archive, or is cut off.");
  const view = async (from: number, length: number) => {
    if (from < 0 || from + length > archive.size) throw broken();
    return new DataView(await archive.slice(from, from + length).arrayBuffer());
  };
  const tailLength = Math.min(archive.size, 65_557);
  const tail = await view(archive.size - tailLength, tailLength);
  let at = tail.byteLength - 22;
  while (at >= 0 && tail.getUint32(at, true) !== END) at--;
  if (at < 0) throw broken();
  const count = tail.getUint16(at + 10, true);
  const directory = await view(tail.getUint32(at + 16, true), tail.getUint32(at + 12, true));
  const found: Packed[] = [];
  for (let nth = 0, entry = 0; nth < count; nth++) {
    if (entry + 46 > directory.byteLength || directory.getUint32(entry, true) !== CENTRAL) throw broken();
    const number = (offset: number) => directory.getUint32(entry + offset, true);
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => directory.getUint16(entry + offset, true)) as [number, number, number];
    if (entry + 46 + nameLength > directory.byteLength) throw broken();
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, entry + 46, nameLength));
    const [flags, method] = [directory.getUint16(entry + 8, true), directory.getUint16(entry + 10, true)];
    const [sum, packedSize, size, start] = [number(16), number(20), number(24), number(42)];
    if (!name.endsWith("/")) {
      found.push({
        path: name,
        unpack: async () => {
          if (flags & 1) throw new RangeError("is encrypted.");
          const local = await view(start, 30);
          if (local.getUint32(0, true) !== LOCAL) throw broken();
          const from = start + 30 + local.getUint16(26, true) + local.getUint16(28, true);
          const packed = archive.slice(from, from + packedSize);
          if (packed.size !== packedSize) throw broken();
          if (method !== 0 && method !== DEFLATED) throw new RangeError("is packed in a way that browsers cannot read.");
          const content = method === 0 ? packed : await inflated(packed, size);
          const isWhole = content.size <= DOCUMENT_LIMIT;
          if (isWhole && crc32(new Uint8Array(await content.arrayBuffer())) !== sum) throw new RangeError("is damaged.");
          return content;
        },
      });
    }
    entry += 46 + nameLength + extra + comment;
  }
  return found;
}

/** Unpacks, and stops as soon as there is more than the archive says or than a document may have. */
async function inflated(packed: Blob, size: number): Promise<Blob> {
  const limit = Math.min(size, DOCUMENT_LIMIT + 1);
  const reader = packed.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: BlobPart[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    length += value.length;
    parts.push(value);
    if (length < limit) continue;
    await reader.cancel();
    if (length > size) throw new RangeError("is larger than its archive says.");
    return new Blob(parts);
  }
}

/** Whether a path stays inside the folder that it is unpacked to. */
export const isInside = (path: string): boolean => !/^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(path);
