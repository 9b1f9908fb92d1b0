// What both modules of the package have in common: loading, passing documents, and stopping.

const encoder = new TextEncoder();

/** Returns the functions of the module with this name, from its glue and the address at which it is by default. */
export function instance(name, { Call, initSync, reset }, address) {
  /** "empty" before `init`, "ready", or "stopped" after a trap. */
  let state = "empty";
  /** The module that the first `init` loaded. Later calls create new instances of it. */
  let loaded;

  async function init(module) {
    if (loaded === undefined) {
      const compiled = await compile(module ?? address());
      if (loaded === undefined) {
        initSync({ module: compiled });
        loaded = compiled;
        state = "ready";
        return;
      }
    }
    if (state === "stopped") {
      reset();
      state = "ready";
    }
  }

  /** Passes inputs, and returns what `ask` answers about them. */
  function call(input, ask, ...others) {
    if (state === "empty") throw new Error(`call the init() of ${name} first, and await it`);
    if (state === "stopped") throw stopped(name);
    const prepared = [input, ...others].map(prepare);
    let answer;
    try {
      answer = ask(...prepared.map((pass) => pass(Call)));
    } catch (cause) {
      state = "stopped";
      throw stopped(name, cause);
    }
    const { Ok, Err } = JSON.parse(answer);
    if (Err !== undefined) throw refused(Err);
    return Ok;
  }

  return { init, call };
}

/** Checks an input, and returns a function that passes it. */
function prepare(input) {
  const { manifests, outputs, binding } = input ?? {};
  if (!Array.isArray(manifests) || !Array.isArray(outputs))
    throw refused("it must be an object with the arrays `manifests` and `outputs`");
  const documents = [
    ...manifests.map((one) => ["manifest", passed(one, MANIFEST)]),
    ...outputs.map((one) => ["outputs", passed(one, OUTPUTS)]),
    ...(binding == null ? [] : [["binding", passed(binding, MANIFEST)]]),
  ];
  const { policy, resourcesOnly = false, keepReferences = false } = checked(input, INPUT);
  const policies = policy == null ? undefined : JSON.stringify(policy);
  return (Call) => {
    const made = new Call(resourcesOnly, keepReferences);
    for (const [add, fields] of documents) made[add](...fields);
    if (policies !== undefined) made.policy(policies);
    return made;
  };
}

/** The fields of each object. Their types are listed if only one is allowed; `?` marks those that may be absent. */
const MANIFEST = { path: "string", content: "" };
const OUTPUTS = { ...MANIFEST, name: "string", format: "string?", sensitive: "boolean?" };
const INPUT = { manifests: "", outputs: "", binding: "", policy: "", resourcesOnly: "boolean?", keepReferences: "boolean?" };

/** Returns a document in the order of the module's parameters. */
function passed(document, fields) {
  const content = bytes(document);
  const { path, name, format, sensitive = false } = checked(document, fields);
  return [path, content, name, format ?? undefined, sensitive];
}

/** Returns the fields of an object; throws for unknown or missing ones and for wrong types. */
function checked(object, fields) {
  const values = { ...object };
  for (const name in values) {
    if (values[name] === undefined || Object.hasOwn(fields, name)) continue;
    const names = Object.keys(fields).map((name) => `\`${name}\``);
    const expected = names.length > 2 ? `one of ${names.join(", ")}` : names.join(" or ");
    throw refused(`unknown field \`${name}\`, expected ${expected}`);
  }
  for (const [name, types] of Object.entries(fields)) {
    const [type, isOptional] = [types.replace("?", ""), types.endsWith("?")];
    const value = values[name];
    if (!type || (isOptional && (value === undefined || (value === null && type === "string")))) continue;
    if (value === undefined) throw refused(`missing field \`${name}\``);
    if (typeof value !== type) throw mistaken(name, value, `a ${type}`);
    if (type === "string") unpaired(value, `\`${name}\``);
  }
  return values;
}

/** Returns the content of a document. */
function bytes(document) {
  const { content, path = "a document" } = document ?? {};
  if (content instanceof Uint8Array) return content;
  if (typeof content !== "string") throw refused(`the content of ${path} is neither a string nor a Uint8Array`);
  unpaired(content, `the content of ${path}`);
  return encoder.encode(content);
}

/** Throws for an unpaired surrogate, which the encoder would replace with U+FFFD. */
export function unpaired(text, what) {
  const half = text.isWellFormed?.() ? -1 : text.search(/\p{Surrogate}/u);
  if (half >= 0) throw refused(`${what} has half a surrogate pair at offset ${half}, which no UTF-8 can hold`);
}

/** Throws unless `value` is an unsigned 32-bit integer, as which it is passed. */
export function whole(name, value, what) {
  if (typeof value !== "number" || value >>> 0 !== value) throw mistaken(name, value, what);
}

function mistaken(name, value, what) {
  return refused(`\`${name}\` is ${String(value)} (${typeof value}): it must be ${what}`);
}

export function refused(why) {
  return new TypeError(`landfall does not take this input: ${why}`);
}

function stopped(name, cause) {
  const error = new Error(`the module of ${name} has stopped: call init() for a fresh one`, { cause });
  error.name = "LandfallStopped";
  return error;
}

async function compile(source) {
  let module = await source;
  if (module instanceof WebAssembly.Module) return module;
  if (typeof module === "string") module = new URL(module, globalThis.location?.href ?? import.meta.url);
  if (module instanceof URL && module.protocol === "file:") {
    // Node cannot fetch files. The name is in a variable so that bundlers for the web do
    // not resolve it.
    const files = "node:fs/promises";
    module = await (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)).readFile(module);
  }
  if (module instanceof URL) module = await fetch(module);
  if (typeof Response !== "undefined" && module instanceof Response) {
    if (!module.ok) throw new Error(`landfall's module: ${module.status} ${module.statusText} (${module.url})`);
    module = await module.arrayBuffer();
  }
  return WebAssembly.compile(module);
}
