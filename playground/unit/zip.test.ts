import { describe, expect, it } from "vitest";
import { crc32, safePath, zip } from "../src/zip";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a zip", () => {
  it("has the check sums that every reader compares", () => {
    expect(crc32(bytes("123456789"))).toBe(0xcbf43926);
    expect(crc32(bytes(""))).toBe(0);
  });

  it("is read as the format says", async () => {
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
  ])("unpacks below its folder: %s", (path, expected) => {
    expect(safePath(path).replace(/^\//, "")).toBe(expected);
  });
});
