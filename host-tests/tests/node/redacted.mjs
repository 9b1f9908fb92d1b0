// redacted.mjs PACKAGE: outputs documents without their secrets.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const landfall = await import(pathToFileURL(`${folder}/index.js`));
await landfall.init();

const document = (content, more) => ({ path: "infra.json", name: "infra", content, ...more });
const manifests = [{ path: "a.yaml", content: "host: ${infra.db.host}\n" }];
const terraform = '\uFEFF{"größe": {"value": 1.50},\r\n "db": {"sensitive": true, "value": {"host": "hunter2", "hunter2": 1}}}';

/** A redaction with the texts that were replaced. */
const redacted = (document, options) => {
  const { replaced, ...others } = landfall.redact(document, options);
  return { ...others, replaced: replaced.map(({ start, end }) => document.content.slice(start.offset, end.offset)) };
};

assert.deepEqual(redacted(document(terraform), { manifests }), {
  content: '\uFEFF{"größe": {"value": 1.50},\r\n "db": {"sensitive": true, "value": {"host": "(sensitive)"}}}',
  outputs: ["db"],
  replaced: ['{"host": "hunter2", "hunter2": 1}'],
});
assert.deepEqual(landfall.redact(document(terraform)).content.match(/"value": \{.*?\}/)[0], '"value": {}');

// A document from a Secret.
assert.deepEqual(redacted(document('{"a": {"value": "hunter2"}}', { sensitive: true })), {
  content: '{"a": {"value": "(sensitive)"}}',
  outputs: ["a"],
  replaced: ['"hunter2"'],
});
assert.deepEqual(redacted(document("# hunter2\nA=hunter2\n", { sensitive: true, format: "dotenv" })), {
  content: '#\nA="(sensitive)"\n',
  outputs: ["A"],
  replaced: [" hunter2", "hunter2"],
});

// A document whose Binding declares what it does not mark.
const declared = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: a.env}, sensitive: [B]}]}\n";
const binding = (content) => ({ path: "landfall.yaml", content });
const dotenv = document("# hunter2\nA=a\nB=hunter2\n", { format: "dotenv" });
assert.deepEqual(redacted(dotenv, { binding: binding(declared) }), {
  content: '#\nA=a\nB="(sensitive)"\n',
  outputs: ["B"],
  replaced: [" hunter2", "hunter2"],
});
assert.equal(landfall.redact(dotenv, { binding: binding("kind: Binding") }), null);

// A document that replaces what another document of its name marks.
const later = document('{"db": {"value": "hunter2"}}');
assert.deepEqual(landfall.redact(later, { outputs: [document(terraform)] }).outputs, ["db"]);
assert.deepEqual(landfall.redact(later).outputs, []);

// In content that no format reads, a secret may be anywhere.
for (const content of ["password: hunter2", '{"a": {"sensitive": true, "value": "hunter2"}', "[1]", new Uint8Array([0xff])]) {
  assert.equal(landfall.redact(document(content)), null);
}
assert.deepEqual(landfall.redact(document("")), { content: "", outputs: [], replaced: [] });

assert.throws(() => landfall.redact(), TypeError);
assert.throws(() => landfall.redact({ path: "a.json" }), TypeError);
assert.throws(() => landfall.redact(document("{}"), { manifest: [] }), /unknown field `manifest`, expected `manifests`/);
