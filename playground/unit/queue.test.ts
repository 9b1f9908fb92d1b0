import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FromWorker, InputRefs, Request } from "../src/core/protocol";
import { Queue, TIME_LIMIT, type Port } from "../src/core/queue";

class Worker {
  static all: Worker[] = [];
  requests: Request[] = [];
  isEnded = false;
  constructor(readonly onMessage: (message: FromWorker) => void) {
    Worker.all.push(this);
  }
  post = (request: Request) => void this.requests.push(request);
  terminate = () => void (this.isEnded = true);
  ready() {
    this.onMessage({ ready: { version: "1", digest: "d" } });
    return this;
  }
  answer(value: unknown = {}) {
    this.onMessage({ id: this.requests.at(-1)!.id, value });
  }
}

const texts = new Map<number, { content: string; revision: number }>();
const queueOf = () => new Queue((onMessage): Port => new Worker(onMessage), { read: (key) => texts.get(key) });
const input = (...keys: number[]): InputRefs => ({
  manifests: keys.map((key) => ({ key, path: `${key}.yaml` })),
  outputs: [],
  resourcesOnly: false,
});
const explain = (...keys: number[]) => ({ kind: "explain", input: input(...keys) }) as const;
const render = (...keys: number[]) => ({ kind: "render", input: input(...keys) }) as const;
const complete = () => ({ kind: "complete", input: input(1), at: { manifest: 0, offset: 0 } }) as const;

beforeEach(() => {
  vi.useFakeTimers();
  Worker.all = [];
  texts.clear();
  texts.set(1, { content: "a", revision: 1 });
});
afterEach(() => void vi.useRealTimers());

describe("the queue", () => {
  it("waits for the module, however long it takes to load", async () => {
    const asked = queueOf().submit(explain(1));
    vi.advanceTimersByTime(10 * TIME_LIMIT);
    expect(Worker.all[0]!.requests).toEqual([]);
    Worker.all[0]!.ready().answer({ diagnostics: [] });
    expect(await asked).toEqual({ kind: "done", value: { diagnostics: [] } });
  });

  it("drops tasks that a newer one replaces, waiting or running", async () => {
    const queue = queueOf();
    const running = queue.submit(explain(1));
    Worker.all[0]!.ready();
    const second = queue.submit(explain(1));
    const third = queue.submit(explain(1));
    expect(await second).toEqual({ kind: "stale" });
    Worker.all[0]!.answer(1);
    expect(await running).toEqual({ kind: "stale" });
    Worker.all[0]!.answer(3);
    expect(await third).toEqual({ kind: "done", value: 3 });
    expect(Worker.all[0]!.requests).toHaveLength(2);
  });

  it("runs a completion, a redaction and a render before a waiting explanation", () => {
    const queue = queueOf();
    void queue.submit(explain(1));
    const worker = Worker.all[0]!.ready();
    void queue.submit(explain(1));
    void queue.submit(render(1));
    void queue.submit({ kind: "redact", input: input(1), manifests: [] });
    void queue.submit(complete());
    for (let nth = 0; nth < 4; nth++) worker.answer();
    const kinds = worker.requests.map((one) => one.task.kind);
    expect(kinds).toEqual(["explain", "complete", "redact", "render", "explain"]);
  });

  it("sends every document in which secrets are looked for, also a Binding that is not in effect", () => {
    texts.set(2, { content: "kind: Binding", revision: 1 });
    const queue = queueOf();
    void queue.submit({ kind: "redact", input: input(1), manifests: [{ key: 1, path: "a" }, { key: 2, path: "b/landfall.yaml" }] });
    const worker = Worker.all[0]!.ready();
    expect(worker.requests[0]!.put.map(({ key }) => key)).toEqual([1, 2]);
  });

  it("drops what is to be kept when the same documents have stopped a render", async () => {
    const queue = queueOf();
    const running = queue.submit(explain(1));
    Worker.all[0]!.ready();
    const kept = queue.submit({ kind: "keep", input: input(1), manifests: [] });
    vi.advanceTimersByTime(TIME_LIMIT);
    expect((await running).kind).toBe("stopped");
    expect((await kept).kind).toBe("stopped");
    expect(Worker.all).toHaveLength(1);
  });

  it("sends a document once, and again after a change", () => {
    const queue = queueOf();
    texts.set(2, { content: "b", revision: 1 });
    void queue.submit(explain(1, 2));
    const worker = Worker.all[0]!.ready();
    worker.answer();
    texts.set(1, { content: "aa", revision: 2 });
    void queue.submit(explain(1, 2));
    worker.answer();
    void queue.submit(explain(1));
    expect(worker.requests.map(({ put, forget }) => [put.map((one) => one.content), forget])).toEqual([
      [["a", "b"], []],
      [["aa"], []],
      [[], [2]],
    ]);
  });

  it("stops tasks after the time limit, and sends all documents to the next worker", async () => {
    const queue = queueOf();
    const slow = queue.submit(explain(1));
    Worker.all[0]!.ready();
    vi.advanceTimersByTime(TIME_LIMIT - 1);
    expect(Worker.all[0]!.isEnded).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await slow).toMatchObject({ kind: "stopped", why: "time" });
    expect(Worker.all[0]!.isEnded).toBe(true);

    const next = queue.submit(explain(1));
    const worker = Worker.all[1]!.ready();
    expect(worker.requests[0]!.put).toEqual([{ key: 1, content: "a" }]);
    // Messages from the first worker are ignored.
    Worker.all[0]!.onMessage({ id: worker.requests[0]!.id, value: "late" });
    worker.answer("new");
    expect(await next).toEqual({ kind: "done", value: "new" });
    vi.advanceTimersByTime(10 * TIME_LIMIT);
    expect(worker.isEnded).toBe(false);
  });

  it("keeps the worker if documents are refused", async () => {
    const queue = queueOf();
    const first = queue.submit(explain(1));
    const worker = Worker.all[0]!.ready();
    const waiting = queue.submit(complete());
    worker.onMessage({ id: worker.requests[0]!.id, failed: { name: "TypeError", message: "half a pair" } });
    expect(await first).toEqual({ kind: "stopped", why: "input", message: "half a pair" });
    worker.answer([]);
    expect(await waiting).toEqual({ kind: "done", value: [] });
    expect(Worker.all).toHaveLength(1);
  });

  it("starts a new worker after a crash, and continues with waiting tasks", async () => {
    const queue = queueOf();
    const first = queue.submit(explain(1));
    const worker = Worker.all[0]!.ready();
    const waiting = queue.submit(complete());
    worker.onMessage({ id: worker.requests[0]!.id, failed: { name: "LandfallStopped", message: "stopped" } });
    expect(await first).toMatchObject({ kind: "stopped", why: "crash" });
    Worker.all[1]!.ready().answer([]);
    expect(await waiting).toEqual({ kind: "done", value: [] });
  });

  it("reports to all waiting tasks that the module cannot be loaded, and retries with the next one", async () => {
    const queue = queueOf();
    const one = queue.submit(explain(1));
    const other = queue.submit(complete());
    Worker.all[0]!.onMessage({ failed: { name: "Error", message: "404" } });
    expect(await Promise.all([one, other])).toMatchObject([
      { kind: "stopped", why: "load" },
      { kind: "stopped", why: "load" },
    ]);
    const again = queue.submit(explain(1));
    Worker.all[1]!.ready().answer(1);
    expect(await again).toMatchObject({ kind: "done" });
  });
});
