/**
 * What on the page is secret: asked of the core in each pause in changes, for what covers the
 * values of sensitive outputs and for what is kept of the workspace.
 */
import { secretsOf, stateOf } from "./answer";
import type { Sensitivity } from "./core/protocol";
import type { Queue } from "./core/queue";
import type { Doc, Saved, Workspace } from "./state";

/** The pause in typing after which the core is asked, in milliseconds. */
const PAUSE = 400;
/** The pause after other changes: rendering comes first. */
const SHORT_PAUSE = 30;

export interface WorkspaceSensitivity extends Sensitivity {
  saved: Saved;
  outputs: Doc[];
}

export class Secrets {
  #listeners: ((sensitivity: WorkspaceSensitivity) => void)[] = [];
  #onstopped: (() => void)[] = [];
  /** The length of documents that took too long, in characters: as long ones are not tried again. */
  #tooLong = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly workspace: Workspace,
    readonly queue: Queue,
  ) {
    workspace.listen((change) => {
      if (change === "open") return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.ask(), change === "text" ? PAUSE : SHORT_PAUSE);
    });
  }

  /** Calls a listener with what is secret in a workspace that has not changed since. */
  listen(listener: (sensitivity: WorkspaceSensitivity) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls a listener when the core could not say what is secret. */
  stopped(listener: () => void): void {
    this.#onstopped.push(listener);
  }

  async ask(): Promise<void> {
    const { workspace } = this;
    const before = stateOf(workspace.docs);
    const [saved, outputs] = [workspace.save(), workspace.of("outputs")];
    const length = workspace.docs.reduce((sum, { text }) => sum + text.length, 0);
    const stop = () => {
      for (const listener of this.#onstopped) listener();
    };
    if (length >= this.#tooLong) return stop();
    const outcome = await this.queue.submit({ kind: "keep", ...secretsOf(workspace) });
    if (outcome.kind === "stopped") {
      if (outcome.why === "time") this.#tooLong = length;
      return stop();
    }
    this.#tooLong = Infinity;
    if (outcome.kind !== "done" || stateOf(workspace.docs) !== before) return;
    for (const listener of this.#listeners) listener({ ...outcome.value, saved, outputs });
  }
}
