/**
 * The order of work for the worker: one task at a time, of each kind only the
 * newest, and an end for those that take too long.
 */
import type { Answers, FromWorker, Held, Request, Task, Version } from "./protocol";

/** How long a task may take, in milliseconds. */
export const TIME_LIMIT = 2000;

/** A worker that can be talked to, with the module in it. */
export interface Port {
  post(request: Request): void;
  end(): void;
}

/** Starts a worker; it tells `ready` before it takes tasks. */
export type Start = (told: (message: FromWorker) => void) => Port;

export type Outcome<K extends Task["kind"]> =
  | { kind: "done"; value: Answers[K] }
  /** A newer task of the same kind came. */
  | { kind: "stale" }
  | { kind: "stopped"; why: "time" | "crash" | "load" | "input"; message: string };

/** Where documents' contents are found when they have to cross. */
export interface Contents {
  /** The content of a document and the number of its change. */
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
  /** The change of each document that the worker holds. */
  #held = new Map<number, number>();

  constructor(
    readonly start: Start,
    readonly contents: Contents,
    readonly onready: (version: Version) => void = () => {},
  ) {}

  /** Does a task as soon as the worker is free. */
  ask<T extends Task>(task: T): Promise<Outcome<T["kind"]>> {
    return new Promise((resolve) => {
      const id = this.#next++;
      this.#newest.set(task.kind, id);
      this.#waiting.get(task.kind)?.resolve({ kind: "stale" });
      this.#waiting.set(task.kind, { id, task, resolve: resolve as Waiting["resolve"] });
      this.#go();
    });
  }

  #go(): void {
    if (!this.#port) {
      this.#isReady = false;
      this.#held.clear();
      const port: Port = this.start((message) => {
        // What a worker says that has been ended is nobody's business.
        if (this.#port === port) this.#told(message);
      });
      this.#port = port;
    }
    if (!this.#isReady || this.#running) return;
    // Someone waits with the cursor in a half-typed reference: completion goes first.
    const next = this.#waiting.get("complete") ?? this.#waiting.get("explain");
    if (!next) return;
    this.#waiting.delete(next.task.kind);
    this.#running = next;
    this.#port.post({ id: next.id, task: next.task, ...this.#changes(next.task) });
    this.#timer = setTimeout(() => {
      this.#stop("time", `This took longer than ${TIME_LIMIT / 1000} seconds and was stopped.`);
    }, TIME_LIMIT);
  }

  #changes(task: Task): Pick<Request, "put" | "forget"> {
    const { manifests, outputs, binding } = task.input;
    const used: Held[] = [...manifests, ...outputs, ...(binding ? [binding] : [])];
    const put: Request["put"] = [];
    for (const { key } of used) {
      const document = this.contents.read(key);
      if (!document || this.#held.get(key) === document.revision) continue;
      this.#held.set(key, document.revision);
      put.push({ key, content: document.content });
    }
    const keys = new Set(used.map((one) => one.key));
    const forget = [...this.#held.keys()].filter((key) => !keys.has(key));
    for (const key of forget) this.#held.delete(key);
    return { put, forget };
  }

  #told(message: FromWorker): void {
    if ("ready" in message) {
      this.#isReady = true;
      this.onready(message.ready);
      this.#go();
      return;
    }
    const running = this.#running;
    if ("failed" in message) {
      if (message.id === undefined) return this.#stop("load", message.failed.message);
      // What is no input stops nothing, such as half a surrogate pair in a document.
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
    this.#go();
  }

  /** Ends the worker; the next task gets a new one. */
  #stop(why: "time" | "crash" | "load", message: string): void {
    clearTimeout(this.#timer);
    this.#port?.end();
    this.#port = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.resolve({ kind: "stopped", why, message });
    if (why === "load") {
      for (const waiting of this.#waiting.values()) waiting.resolve({ kind: "stopped", why, message });
      this.#waiting.clear();
    }
    if (this.#waiting.size > 0) this.#go();
  }
}
