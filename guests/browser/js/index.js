// The npm package `landfall`. wasm-bindgen generates landfall.js.
import { Call, Question, __wbg_reset_state, initSync } from "./landfall.js";

const encoder = new TextEncoder();

/** "empty" before `init`, "ready", or "stopped" after a trap. */
let state = "empty";
/** The module that the first `init` loaded. Later calls create new instances of it. */
let loaded;

export async function init(module) {
  if (loaded === undefined) {
    const compiled = await compile(module ?? new URL("landfall_bg.wasm", import.meta.url));
    if (loaded === undefined) {
      initSync({ module: compiled });
      loaded = compiled;
      state = "ready";
      return;
    }
  }
  if (state === "stopped") {
    __wbg_reset_state();
    state = "ready";
  }
}

export const render = (input) => call(input, Question.Render);
export const check = (input) => call(input, Question.Check);
export const explain = (input) => call(input, Question.Explain);
export const complete = (input, at) => ask(input, Question.Complete, at);
export const hover = (input, at) => ask(input, Question.Hover, at);
export const definition = (input, at) => ask(input, Question.Definition, at);
function ask(input, question, at) {
  const { manifest, offset, ...others } = at ?? {};
  for (const key in others) throw refused(`unknown field \`${key}\`, expected \`manifest\` or \`offset\``);
  whole("manifest", manifest, "an index of `manifests`");
  whole("offset", offset, "an integer from 0 to the length of the document");
  return call(input, question, manifest, offset);
}
export function redact(document, { manifests = [], outputs = [], binding, ...others } = {}) {
  for (const key in others)
    throw refused(`unknown field \`${key}\`, expected \`manifests\`, \`outputs\` or \`binding\``);
  return call({ manifests, outputs: [document, ...outputs], binding }, Question.Redact);
}
export const version = () => ({ version: "@VERSION@", digest: "@DIGEST@" });

function call(input, question, manifest = 0, offset = 0) {
  if (state === "empty") throw new Error("call landfall's init() first, and await it");
  if (state === "stopped") throw stopped();
  const { manifests, outputs, binding } = input ?? {};
  if (!Array.isArray(manifests) || !Array.isArray(outputs))
    throw refused("it must be an object with the arrays `manifests` and `outputs`");
  const documents = [...manifests, ...outputs, ...(binding ? [binding] : [])];
  const contents = documents.map(bytes);
  const options = JSON.stringify({
    ...input,
    manifests: manifests.map(described),
    outputs: outputs.map(described),
    binding: binding && described(binding),
  });
  let answer;
  try {
    const made = new Call();
    for (const content of contents) made.document(content);
    answer = made.answer(question, options, manifest, offset);
  } catch (cause) {
    state = "stopped";
    throw stopped(cause);
  }
  const { Ok, Err } = JSON.parse(answer);
  if (Err !== undefined) throw refused(Err);
  return Ok;
}

function bytes(document) {
  const { content, path = "a document" } = document ?? {};
  if (content instanceof Uint8Array) return content;
  if (typeof content !== "string") throw refused(`the content of ${path} is neither a string nor a Uint8Array`);
  // The encoder would replace it with U+FFFD.
  const half = content.isWellFormed?.() ? -1 : content.search(/\p{Surrogate}/u);
  if (half < 0) return encoder.encode(content);
  throw refused(`the content of ${path} has half a surrogate pair at offset ${half}, which no UTF-8 can hold`);
}

/** Throws unless `value` is an unsigned 32-bit integer, as which it is passed. */
function whole(name, value, what) {
  if (typeof value !== "number" || value >>> 0 !== value)
    throw refused(`\`${name}\` is ${String(value)} (${typeof value}): it must be ${what}`);
}

/** A document without its content, which is passed as bytes. */
function described({ content, ...rest }) {
  return rest;
}

function refused(why) {
  return new TypeError(`landfall does not take this input: ${why}`);
}

function stopped(cause) {
  const error = new Error("landfall's module has stopped: call init() for a fresh one", { cause });
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
