// `landfall/tools`: operations that are run on demand, in a module of their own.
// wasm-bindgen generates landfall.js.
import { instance, refused, unpaired } from "../module.js";
import { Call, Tool, __wbg_reset_state, initSync } from "./landfall.js";

const { init, call } = instance("landfall/tools", { Call, initSync, reset: __wbg_reset_state }, () => new URL("landfall_bg.wasm", import.meta.url));
const run = (input, tool) => call(input, (made) => made.run(tool, ""));

export { init };
export const adopt = (input) => run(input, Tool.Adopt);
export const contract = (input) => run(input, Tool.Contract);
export const sample = (contract) => run({ manifests: [contract], outputs: [] }, Tool.Sample);
export const expand = (manifests, clusters = []) =>
  run({ manifests, outputs: clusters.map((one) => ({ ...one, name: "cluster" })) }, Tool.Expand);
export function migrate(input, dialect) {
  if (typeof dialect !== "string") throw refused("`dialect` must be a string");
  unpaired(dialect, "`dialect`");
  return call(input, (made) => made.run(Tool.Migrate, dialect));
}
export const compare = (input, before, binding = input?.binding) =>
  call(input, (made, other) => made.run(Tool.Compare, "", other), { manifests: [], outputs: before, binding });
