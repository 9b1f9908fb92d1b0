// The npm package `landfall`. wasm-bindgen generates landfall.js.
import { Call, Question, __wbg_reset_state, initSync } from "./landfall.js";
import { instance, refused, whole } from "./module.js";

const { init, call } = instance("landfall", { Call, initSync, reset: __wbg_reset_state }, () => new URL("landfall_bg.wasm", import.meta.url));
const asked = (input, question, manifest = 0, offset = 0) => call(input, (made) => made.answer(question, manifest, offset));

export { init };
export const render = (input) => asked(input, Question.Render);
export const check = (input) => asked(input, Question.Check);
export const explain = (input) => asked(input, Question.Explain);
export const complete = (input, at) => ask(input, Question.Complete, at);
export const hover = (input, at) => ask(input, Question.Hover, at);
export const definition = (input, at) => ask(input, Question.Definition, at);
function ask(input, question, at) {
  const { manifest, offset, ...others } = at ?? {};
  for (const key in others) throw refused(`unknown field \`${key}\`, expected \`manifest\` or \`offset\``);
  whole("manifest", manifest, "an index of `manifests`");
  whole("offset", offset, "an integer from 0 to the length of the document");
  return asked(input, question, manifest, offset);
}
export function redact(document, { manifests = [], outputs = [], binding, ...others } = {}) {
  for (const key in others)
    throw refused(`unknown field \`${key}\`, expected \`manifests\`, \`outputs\` or \`binding\``);
  return asked({ manifests, outputs: [document, ...outputs], binding }, Question.Redact);
}
export const classify = (documents) => asked({ manifests: documents, outputs: [] }, Question.Classify);
export const version = () => ({ version: "@VERSION@", digest: "@DIGEST@" });
