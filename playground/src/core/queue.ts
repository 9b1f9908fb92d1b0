/**
 * Schedules tasks for the worker: one at a time, only the newest of each kind, and with
 * a time limit.
 */
import type { Answers, FromWorker, Request, Task, Version } from "./protocol";

/** The time limit of a task, in milliseconds. */
export const TIME_LIMIT = 2000;

/** Completions are first: the user is waiting in the middle of a reference. Then what the mouse is on. */
const PRIORITIES: Task["kind"][] = ["complete", "hover", "classify", "names", "redact", "render", "explain", "keep"];

/** A worker with the module. */
export interface Port {
  post(request: Request): void;
  terminate(): void;
}

/** Starts a worker, which sends `ready` before it accepts tasks. */
export type Start = (onMessage: (message: FromWorker) => void) => Port;

export type Outcome<K extends Task["kind"]> =
  | { kind: "done"; value: Answers[K] }
  /** A newer task of the same kind replaced it. */
  | { kind: "stale" }
  | { kind: "stopped"; why: "time" | "crash" | "load" | "input"; message: string };

/** Provides the contents of documents that have to be sent. */
export interface Contents {
  /** Returns the content of a document and its revision. */
  read(key: number): { content: string; revision: number } | undefined;
}

interface Waiting {
  id: number;
  task: Task;
  resolve: (outcome: Outcome<never>) => void;
}

export class Queue {
  #port: Port | undefined;
  #isReady = false;
  #running: Waiting | undefined;
  #waiting = new Map<Task["kind"], Waiting>();
  #newest = new Map<Task["kind"], number>();
  #next = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The revision of each document that the worker has. */
  #sent = new Map<number, number>();

  constructor(
    readonly start: Start,
    readonly contents: Contents,
    readonly onready: (version: Version) => void = () => {},
  ) {}

  /** Runs a task as soon as the worker is free. */
  submit<T extends Task>(task: T): Promise<Outcome<T["kind"]>> {
    return new Promise((resolve) => {
      const id = this.#next++;
      this.#newest.set(task.kind, id);
      this.#waiting.get(task.kind)?.resolve({ kind: "stale" });
      this.#waiting.set(task.kind, { id, task, resolve: resolve as Waiting["resolve"] });
      this.#run();
    });
  }

  #run(): void {
    if (!this.#port) {
      this.#isReady = false;
      this.#sent.clear();
      const port: Port = this.start((message) => {
        // Messages from a terminated worker are ignored.
        if (this.#port === port) this.#receive(message);
      });
      this.#port = port;
    }
    if (!this.#isReady || this.#running) return;
    const kind = PRIORITIES.find((kind) => this.#waiting.has(kind));
    const next = kind && this.#waiting.get(kind);
    if (!next) return;
    this.#waiting.delete(next.task.kind);
    this.#running = next;
    this.#port.post({ id: next.id, task: next.task, ...this.#changes(next.task) });
    this.#timer = setTimeout(() => {
      this.#stop("time", `Rendering took longer than ${TIME_LIMIT / 1000} seconds and was stopped.`);
    }, TIME_LIMIT);
  }

  #changes(task: Task): Pick<Request, "put" | "forget"> {
    if (task.kind === "classify") return { put: [], forget: [] };
    const { manifests, outputs, binding } = task.input;
    // Secrets are looked for in Bindings that are not in effect, too.
    const others = "manifests" in task ? task.manifests : [];
    const used = new Map([...manifests, ...outputs, ...(binding ? [binding] : []), ...others].map((one) => [one.key, one]));
    const put: Request["put"] = [];
    for (const key of used.keys()) {
      const document = this.contents.read(key);
      if (!document || this.#sent.get(key) === document.revision) continue;
      this.#sent.set(key, document.revision);
      put.push({ key, content: document.content });
    }
    const forget = [...this.#sent.keys()].filter((key) => !used.has(key));
    for (const key of forget) this.#sent.delete(key);
    return { put, forget };
  }

  #receive(message: FromWorker): void {
    if ("ready" in message) {
      this.#isReady = true;
      this.onready(message.ready);
      this.#run();
      return;
    }
    const running = this.#running;
    if ("failed" in message) {
      if (message.id === undefined) return this.#stop("load", message.failed.message);
      // The worker survives invalid input, such as an unpaired surrogate in a document.
      if (message.failed.name !== "TypeError") {
        if (running?.id === message.id) this.#stop("crash", message.failed.message);
        return;
      }
    }
    if (!running || running.id !== message.id) return;
    clearTimeout(this.#timer);
    this.#running = undefined;
    const isNewest = this.#newest.get(running.task.kind) === running.id;
    const outcome: Outcome<never> =
      "failed" in message
        ? { kind: "stopped", why: "input", message: message.failed.message }
        : { kind: "done", value: message.value as never };
    running.resolve(isNewest ? outcome : { kind: "stale" });
    this.#run();
  }

  /** Terminates the worker; the next task starts a new one. */
  #stop(why: "time" | "crash" | "load", message: string): void {
    clearTimeout(this.#timer);
    this.#port?.terminate();
    this.#port = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.resolve({ kind: "stopped", why, message });
    // The same documents would stop it, too, and offline there are only so many workers.
    this.#waiting.get("keep")?.resolve({ kind: "stopped", why, message });
    this.#waiting.delete("keep");
    if (why === "load") {
      for (const waiting of this.#waiting.values()) waiting.resolve({ kind: "stopped", why, message });
      this.#waiting.clear();
    }
    if (this.#waiting.size > 0) this.#run();
  }
}
