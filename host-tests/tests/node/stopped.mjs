// stopped.mjs PACKAGE: the module runs out of memory, reports it, and restarts.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const landfall = await import(pathToFileURL(`${folder}/index.js`));
const input = (content) => ({ manifests: [{ path: "a.yaml", content }], outputs: [] });
const small = input("a: 1\n");

assert.throws(() => landfall.render(small), /init\(\)/);
await assert.rejects(landfall.init(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
await landfall.init(limited(await readFile(`${folder}/landfall_bg.wasm`), 64));

// Mistakes of the caller don't stop the module.
assert.throws(() => landfall.render({ manifests: [{ path: "a.yaml", content: 1 }], outputs: [] }), TypeError);
assert.throws(() => landfall.render({ manifests: [{ content: "a: 1\n" }], outputs: [] }), /`path`/);
assert.equal(landfall.render(small).files[0].content, "a: 1\n");

const stopped = { name: "LandfallStopped" };
assert.throws(() => landfall.render(input("a".repeat(8 << 20))), stopped);
assert.throws(() => landfall.check(small), stopped);
await landfall.init();
assert.equal(landfall.render(small).files[0].content, "a: 1\n");
assert.throws(() => landfall.explain(input("a".repeat(8 << 20))), stopped);
await landfall.init();
assert.deepEqual(landfall.check(small).diagnostics, []);

/** The module with a memory that cannot grow by more than `pages` of 64 KiB. */
function limited(module, pages) {
  let at = 8;
  const leb = () => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = module[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return value;
  };
  while (at < module.length) {
    const start = at;
    const id = module[at++];
    const end = leb() + at;
    if (id === 5) {
      at += 2;
      const least = leb();
      const wide = (value) => [(value & 127) | 128, ((value >> 7) & 127) | 128, (value >> 14) & 127];
      const section = [1, 1, ...wide(least), ...wide(least + pages)];
      return Buffer.concat([module.subarray(0, start), Buffer.from([5, section.length, ...section]), module.subarray(end)]);
    }
    at = end;
  }
  throw new Error("the module has no memory");
}
