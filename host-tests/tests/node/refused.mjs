// refused.mjs PACKAGE: invalid input is refused by name, and does not stop the module.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const landfall = await import(pathToFileURL(`${folder}/index.js`));
await landfall.init();

const manifest = { path: "a.yaml", content: "a: ${infra.\n" };
const outputs = { path: "infra.json", name: "infra", content: '{"vpc": {"value": "v"}}' };
const input = { manifests: [manifest], outputs: [outputs] };
const calls = [
  landfall.render,
  landfall.check,
  landfall.explain,
  (given) => landfall.complete(given, { manifest: 0, offset: 0 }),
  (given) => landfall.hover(given, { manifest: 0, offset: 0 }),
  (given) => landfall.definition(given, { manifest: 0, offset: 0 }),
];

const wrong = [];
function expect(call, message) {
  try {
    call();
    wrong.push(`${message}\n  is taken: ${call}`);
  } catch (error) {
    const told = `landfall does not take this input: ${message}`;
    if (!(error instanceof TypeError) || error.message !== told) wrong.push(`${told}\n  is ${error}`);
  }
}
const refuses = (given, message) => calls.forEach((call) => expect(() => call(given), message));
const questions = [landfall.complete, landfall.hover, landfall.definition];
const at = (place, message, given = input) =>
  questions.forEach((ask) => expect(() => ask(given, place), message));

// Not an object with its arrays.
const shape = "it must be an object with the arrays `manifests` and `outputs`";
for (const given of [undefined, null, "a: 1\n", 1, [], {}, [manifest]]) refuses(given, shape);
refuses({ manifests: [manifest] }, shape);
refuses({ outputs: [outputs] }, shape);
refuses({ manifests: manifest, outputs: [outputs] }, shape);
refuses({ manifests: [manifest], outputs: { infra: outputs } }, shape);
for (const given of [null, undefined, "a: 1\n", {}, []]) {
  const content = "the content of a document is neither a string nor a Uint8Array";
  refuses({ ...input, manifests: [given] }, content);
  refuses({ ...input, outputs: [given] }, content);
  if (given) refuses({ ...input, binding: given }, content);
}
refuses({ ...input, manifests: [{ ...manifest, content: 1 }] }, "the content of a.yaml is neither a string nor a Uint8Array");

// Unknown keys.
const keys = "`manifests`, `outputs`, `binding`, `policy`, `resourcesOnly`, `keepReferences`";
for (const key of ["unused", "policies", "resourceOnly", "resources_only", "content"]) {
  refuses({ ...input, [key]: true }, `unknown field \`${key}\`, expected one of ${keys}`);
}
refuses({ ...input, manifests: [{ ...manifest, name: "x" }] }, "unknown field `name`, expected `path` or `content`");
refuses({ ...input, binding: { ...manifest, mode: 1 } }, "unknown field `mode`, expected `path` or `content`");
refuses(
  { ...input, outputs: [{ ...outputs, sensitve: true }] },
  "unknown field `sensitve`, expected one of `path`, `content`, `name`, `format`, `sensitive`",
);
refuses({ ...input, manifests: [{ content: "a: 1\n" }] }, "missing field `path`");
refuses({ ...input, binding: { content: "" } }, "missing field `path`");
refuses({ ...input, outputs: [{ path: "infra.json", content: "{}" }] }, "missing field `name`");

// Wrong types.
const boolean = (name, value) => `\`${name}\` is ${value}: it must be a boolean`;
refuses({ ...input, resourcesOnly: "yes" }, boolean("resourcesOnly", "yes (string)"));
refuses({ ...input, keepReferences: 0 }, boolean("keepReferences", "0 (number)"));
// `null` might mean either, so it is not taken for `false`.
refuses({ ...input, outputs: [{ ...outputs, sensitive: null }] }, boolean("sensitive", "null (object)"));
const string = (name, value) => `\`${name}\` is ${value}: it must be a string`;
refuses({ ...input, manifests: [{ ...manifest, path: 1 }] }, string("path", "1 (number)"));
refuses({ ...input, outputs: [{ ...outputs, name: ["infra"] }] }, string("name", "infra (object)"));
refuses({ ...input, outputs: [{ ...outputs, format: false }] }, string("format", "false (boolean)"));

// A string that isn't well-formed Unicode.
const half = (path, offset) => `the content of ${path} has half a surrogate pair at offset ${offset}, which no UTF-8 can hold`;
refuses({ ...input, manifests: [manifest, { path: "b.yaml", content: "a: 😀\ud83d\n" }] }, half("b.yaml", 5));
refuses({ ...input, manifests: [{ path: "b.yaml", content: "\ude00\ud83d" }] }, half("b.yaml", 0));
refuses({ ...input, outputs: [{ ...outputs, content: '{"\udc00"}' }] }, half("infra.json", 2));
refuses({ ...input, binding: { path: "landfall.yaml", content: "a\ud800" } }, half("landfall.yaml", 1));
const halfName = (name, offset) => `\`${name}\` has half a surrogate pair at offset ${offset}, which no UTF-8 can hold`;
refuses({ ...input, manifests: [{ ...manifest, path: "\udc00.yaml" }] }, halfName("path", 0));
refuses({ ...input, outputs: [{ ...outputs, name: "in\ud83dfra" }] }, halfName("name", 2));

// Positions that don't exist.
const index = "it must be an index of `manifests`";
at({ manifest: "a.yaml", offset: 0 }, `\`manifest\` is a.yaml (string): ${index}`);
at({ manifest: "0", offset: 0 }, `\`manifest\` is 0 (string): ${index}`);
at({ manifest: -1, offset: 0 }, `\`manifest\` is -1 (number): ${index}`);
at({ manifest: 2 ** 32, offset: 0 }, `\`manifest\` is 4294967296 (number): ${index}`);
at({ offset: 0 }, `\`manifest\` is undefined (undefined): ${index}`);
at(undefined, `\`manifest\` is undefined (undefined): ${index}`);
at(0, `\`manifest\` is undefined (undefined): ${index}`);
at({ manifest: 5, offset: 0 }, `\`manifest\` is 5: ${index}, whose length is 1`);
at({ manifest: 0, offset: 0 }, `\`manifest\` is 0: ${index}, whose length is 0`, { manifests: [], outputs: [] });
const whole = "it must be an integer from 0 to the length of the document";
for (const offset of [-1, 1.5, NaN, Infinity, 2 ** 32]) at({ manifest: 0, offset }, `\`offset\` is ${offset} (number): ${whole}`);
at({ manifest: 0, offset: "3" }, `\`offset\` is 3 (string): ${whole}`);
at({ manifest: 0, offset: 3n }, `\`offset\` is 3 (bigint): ${whole}`);
at({ manifest: 0, offset: Symbol.iterator }, `\`offset\` is Symbol(Symbol.iterator) (symbol): ${whole}`);
at({ manifest: 0 }, `\`offset\` is undefined (undefined): ${whole}`);
at({ manifest: 0, offset: 0, line: 1 }, "unknown field `line`, expected `manifest` or `offset`");
const beyond = (offset, length) =>
  `\`offset\` is ${offset}: it must be at most ${length}, the length of a.yaml in UTF-16 code units`;
at({ manifest: 0, offset: 999 }, beyond(999, 12));
at({ manifest: 0, offset: 13 }, beyond(13, 12));

// Every length is counted in JavaScript's units, and the end is a valid position.
const bytes = (text) => new TextEncoder().encode(text);
for (const content of ["", "a", "ключ: 😀\r\n", "\ufeffa", bytes("ä😀"), new Uint8Array([97, 0xe2, 0x82, 98, 0xff, 0xff])]) {
  const text = typeof content === "string" ? content : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  const given = { manifests: [{ path: "a.yaml", content }], outputs: [] };
  assert.deepEqual(landfall.complete(given, { manifest: 0, offset: text.length }), []);
  at({ manifest: 0, offset: text.length + 1 }, beyond(text.length + 1, text.length), given);
}

// Valid input still works after all of this.
assert.equal(landfall.complete(input, { manifest: 0, offset: 11 })[0].label, "vpc");
const finished = { ...input, manifests: [{ path: "a.yaml", content: "a: ${infra.vpc | upper}\n" }] };
const hovered = landfall.hover(finished, { manifest: 0, offset: 12 });
assert.deepEqual(
  [hovered.kind, hovered.label, hovered.detail, hovered.value, hovered.sensitive, hovered.document],
  ["output", "infra.vpc", "string", "v", false, 0],
);
assert.deepEqual([hovered.range.start.offset, hovered.range.end.offset], [11, 14]);
assert.equal(landfall.hover(finished, { manifest: 0, offset: 20 }).label, "upper");
assert.equal(landfall.hover(finished, { manifest: 0, offset: 0 }), null);
const defined = landfall.definition(finished, { manifest: 0, offset: 12 });
assert.deepEqual(defined.target, hovered.definition);
assert.equal(outputs.content.slice(defined.target.start.offset, defined.target.end.offset), '"vpc"');
assert.equal(landfall.definition(finished, { manifest: 0, offset: 20 }), null);
const absent = { binding: undefined, policy: undefined, resourcesOnly: undefined, keepReferences: undefined, other: undefined };
const emoji = { ...absent, ...input, manifests: [{ path: "a.yaml", content: "a: 😀\n" }], policy: { unused: "ignore" } };
assert.equal(landfall.render(emoji).files[0].content, "a: 😀\n");
for (const none of [undefined, null]) {
  const given = { ...emoji, binding: none, outputs: [{ ...outputs, format: none }], policy: none };
  assert.equal(landfall.render({ ...given, manifests: [] }).diagnostics.length, 1);
}
assert.equal(landfall.check({ ...emoji, policy: { nope: 1 } }).diagnostics[0].severity, "error");
assert.equal(wrong.length, 0, `\n${wrong.join("\n")}`);
