import { describe, expect, it } from "vitest";
import { crc32, distinct, safePath, zip } from "../src/zip";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a zip", () => {
  it("has CRC-32 checksums", () => {
    expect(crc32(bytes("123456789"))).toBe(0xcbf43926);
    expect(crc32(bytes(""))).toBe(0);
  });

  it("has valid headers and a valid central directory", async () => {
    const entries = [
      { path: "rendered/größe.yaml", content: bytes("a: 😀\r\n") },
      { path: "empty", content: bytes("") },
    ];
    const file = new DataView(await zip(entries).arrayBuffer());
    const end = file.byteLength - 22;
    expect(file.getUint32(end, true)).toBe(0x06054b50);
    expect(file.getUint16(end + 10, true)).toBe(2);
    let at = file.getUint32(end + 16, true);
    expect(at + file.getUint32(end + 12, true)).toBe(end);
    for (const { path, content } of entries) {
      expect(file.getUint32(at, true)).toBe(0x02014b50);
      expect(file.getUint16(at + 8, true) & (1 << 11)).not.toBe(0);
      expect(file.getUint32(at + 16, true)).toBe(crc32(content));
      expect(file.getUint32(at + 24, true)).toBe(content.length);
      const nameLength = file.getUint16(at + 28, true);
      const read = (from: number, length: number) => new TextDecoder().decode(new Uint8Array(file.buffer, from, length));
      expect(read(at + 46, nameLength)).toBe(path);
      const local = file.getUint32(at + 42, true);
      expect(file.getUint32(local, true)).toBe(0x04034b50);
      expect(file.getUint32(local + 18, true)).toBe(content.length);
      const from = local + 30 + file.getUint16(local + 26, true) + file.getUint16(local + 28, true);
      expect(new Uint8Array(file.buffer, from, content.length)).toEqual(content);
      at += 46 + nameLength;
    }
  });

  it.each([
    ["../../etc/passwd", "etc/passwd"],
    ["/a/./b", "a/b"],
    ["C:\\a\\..\\b", "a/b"],
    ["..", "file"],
    ["", "file"],
    [".. /a. ", "a"],
    ["a\u0000b\n/c:d?.yaml", "a_b_/c_d_.yaml"],
    [`${"ä".repeat(300)}.yaml`, `${"ä".repeat(100)}.yaml`],
    ["größe 😀/.hidden", "größe 😀/.hidden"],
  ])("unpacks inside its folder: %j", (path, expected) => {
    expect(safePath(path)).toBe(expected);
  });

  it.each([
    [["a.yaml", "a.yaml", "A.YAML"], ["a.yaml", "a-2.yaml", "A-3.YAML"]],
    [["a-2.yaml", "x/../a.yaml", "a.yaml"], ["a-2.yaml", "x/a.yaml", "a.yaml"]],
    [["a.yaml", "./a.yaml", "a-2.yaml"], ["a.yaml", "a-2.yaml", "a-2-2.yaml"]],
    [["foo", "foo/bar.yaml", "Foo/baz.yaml"], ["foo", "foo-2/bar.yaml", "Foo-2/baz.yaml"]],
    [["foo/bar.yaml", "FOO"], ["foo/bar.yaml", "FOO-2"]],
    [["gr\u00f6\u00dfe", "gro\u0308\u00dfe"], ["gr\u00f6\u00dfe", "gro\u0308\u00dfe-2"]],
  ])("gives each file a path of its own: %j", (paths, expected) => {
    expect(distinct(paths)).toEqual(expected);
  });
});
