import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isInside, unzip } from "../src/unzip";
import { crc32, zip } from "../src/zip";

const bytes = (text: string) => new TextEncoder().encode(text);

/** An archive with one deflated file that says it has `size` bytes. */
function deflated(path: string, content: string, size = content.length): Blob {
  const [name, packed] = [Buffer.from(path), deflateRawSync(content)];
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crc32(bytes(content)), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(size, 18);
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(name.length);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, lengths, name, packed]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), fields, lengths, Buffer.alloc(14), name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return new Blob([local, central, Buffer.from("PK\x05\x06"), end]);
}

describe("reading a zip", () => {
  it("returns the files that the page has packed", async () => {
    const files = await unzip(zip([{ path: "a/größe.yaml", content: bytes("a: 1\n") }, { path: "b", content: bytes("") }]));
    expect(files.map(({ path }) => path)).toEqual(["a/größe.yaml", "b"]);
    expect(await (await files[0]!.unpack()).text()).toBe("a: 1\n");
  });

  it("unpacks a deflated file", async () => {
    const [file] = await unzip(deflated("a.yaml", "a: 1\n".repeat(1000)));
    expect(await (await file!.unpack()).text()).toBe("a: 1\n".repeat(1000));
  });

  it("stops at a file that is larger than its archive says", async () => {
    const [file] = await unzip(deflated("a.yaml", "x".repeat(1_000_000), 1000));
    await expect(file!.unpack()).rejects.toThrow("larger than its archive says");
  });

  it("refuses a file that was damaged", async () => {
    const damaged = new Uint8Array(await zip([{ path: "a.yaml", content: bytes("replicas: 10\n") }]).arrayBuffer());
    damaged[30 + "a.yaml".length + "replicas: ".length] = 0x39;
    const [file] = await unzip(new Blob([damaged]));
    await expect(file!.unpack()).rejects.toThrow("damaged");
  });

  for (const [what, archive] of [
    ["text", new Blob(["a: 1\n"])],
    ["nothing", new Blob([])],
    ["the end of an archive", deflated("a.yaml", "a").slice(20)],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await expect(unzip(archive)).rejects.toThrow(RangeError);
    });
  }

  it("knows paths that climb", () => {
    for (const path of ["../a", "a/../../b", "/etc/passwd", "C:\\a", "\\a", "a\\..\\b", ".."]) expect(isInside(path), path).toBe(false);
    for (const path of ["a", "a/b..c", "..a/b", "a/.b"]) expect(isInside(path), path).toBe(true);
  });
});
