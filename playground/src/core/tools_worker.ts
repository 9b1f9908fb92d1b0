/** The worker of the tools: runs one task, with a module of its own that is loaded for it. */
import { adopt, compare, contract, expand, init, migrate, sample } from "landfall/tools";
import moduleUrl from "landfall/tools/landfall_bg.wasm?url";
import type { FromTools, ToolTask } from "./tools";

function run(task: ToolTask): unknown {
  switch (task.kind) {
    case "adopt":
      return adopt(task.input);
    case "migrate":
      return migrate(task.input, task.dialect);
    case "expand":
      return expand(task.manifests);
    case "contract":
      return contract(task.input);
    case "sample":
      return sample(task.contract);
    case "compare":
      return compare(task.input, task.before, task.binding);
  }
}

self.onmessage = async ({ data }: MessageEvent<ToolTask>) => {
  const send = (message: FromTools) => self.postMessage(message);
  try {
    await init(moduleUrl);
    send({ value: run(data) });
  } catch (error) {
    send({ failed: error instanceof Error ? error.message : String(error) });
  }
};
