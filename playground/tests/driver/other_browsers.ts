/** Drives Firefox by WebDriver BiDi, and WebKit by WebDriver: only what a visitor does. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface OtherBrowser {
  open(address: string): Promise<void>;
  /** Evaluates an expression in the page, which may be a promise of JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** Presses keys, characters and `KEYS`, one after the other; with Control if `isControl`. */
  press(keys: string, isControl?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Codes of WebDriver. */
export const KEYS = { enter: "\uE007", end: "\uE010" };
const CONTROL = "\uE009";

function keyActions(keys: string, isControl = false) {
  const pressed = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
  const actions = isControl ? [{ type: "keyDown", value: CONTROL }, ...pressed, { type: "keyUp", value: CONTROL }] : pressed;
  return [{ type: "key", id: "keyboard", actions }];
}

/** Waits for a line of a program's output. */
function printed(program: ChildProcess, line: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const found = line.exec(text);
      if (found) resolve(found[1] ?? "");
    };
    program.stdout?.on("data", read);
    program.stderr?.on("data", read);
    program.on("error", reject);
    program.on("exit", () => reject(new Error(`ended: ${text}`)));
  });
}

/** Starts Firefox; a page sees errors in its console in `errors`. */
export async function firefox(path: string, errors: string[]): Promise<OtherBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "firefox-"));
  const program = spawn(path, ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile]);
  const address = await printed(program, /WebDriver BiDi listening on (ws:\/\/\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  interface Answer {
    id?: number;
    type: string;
    method?: string;
    message?: string;
    params?: { level: string; text: string };
    result: unknown;
  }
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.method === "log.entryAdded" && answer.params?.level === "error") errors.push(answer.params.text);
    waiting.get(answer.id ?? -1)?.(answer);
  };
  let commands = 0;
  const send = async <T>(method: string, params: object = {}): Promise<T> => {
    const id = ++commands;
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (answer.type === "error") throw new Error(`${method}: ${answer.message}`);
    return answer.result as T;
  };
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await send<{ contexts: { context: string }[] }>("browsingContext.getTree");
  const { context } = contexts[0]!;
  return {
    open: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    evaluate: async <T>(expression: string) => {
      const expressionOfJson = `(async () => JSON.stringify((await (${expression})) ?? null))()`;
      const answer = await send<{ result?: { value: string }; exceptionDetails?: { text: string } }>("script.evaluate", {
        expression: expressionOfJson,
        target: { context },
        awaitPromise: true,
        userActivation: true,
      });
      if (!answer.result) throw new Error(answer.exceptionDetails?.text);
      return JSON.parse(answer.result.value) as T;
    },
    press: (...keys) => send("input.performActions", { context, actions: keyActions(...keys) }),
    close: async () => {
      await send("browser.close").catch(() => {});
      if (program.exitCode === null) await new Promise((resolve) => program.once("exit", resolve));
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Starts WebKit with its WebDriver, which needs a display. */
export async function webkit(driver: string): Promise<OtherBrowser> {
  const port = 20_000 + (process.pid % 20_000);
  const program = spawn(driver, [`--port=${port}`]);
  const send = async <T>(path: string, body?: object, method = "POST"): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.error} ${value.message}`);
    return value;
  };
  const start = async (): Promise<{ sessionId: string }> => {
    for (let attempts = 0; ; attempts++) {
      try {
        return await send("", { capabilities: { alwaysMatch: {} } });
      } catch (error) {
        // The driver does not say when it listens.
        if (attempts > 20 || !(error instanceof TypeError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  };
  const { sessionId } = await start().catch((error: unknown) => {
    program.kill();
    throw error;
  });
  await send(`/${sessionId}/window/rect`, { width: 1280, height: 900 });
  return {
    open: (url) => send(`/${sessionId}/url`, { url }),
    evaluate: async <T>(expression: string) => {
      const script = `const done = arguments[0]; (async () => JSON.stringify((await (${expression})) ?? null))().then(done, (error) => done("!" + error))`;
      const answer = await send<string>(`/${sessionId}/execute/async`, { script, args: [] });
      if (answer.startsWith("!")) throw new Error(answer);
      return JSON.parse(answer) as T;
    },
    press: (...keys) => send(`/${sessionId}/actions`, { actions: keyActions(...keys) }),
    close: async () => {
      await send(`/${sessionId}`, undefined, "DELETE").catch(() => {});
      program.kill();
    },
  };
}
