/**
 * Links that contain a workspace: `#v1=` and the base64url of its deflate-raw JSON. The
 * part of an address after `#` is never sent to a server.
 *
 * The core redacts the outputs documents before anything is encoded: it replaces the values
 * of sensitive outputs with others of the same type, so that the workspace still renders. It
 * also classifies the manifests: outputs documents among them are left out.
 */
import type { Classified, Redacted } from "landfall";
import type { Saved } from "./state";

/** The longest link, in characters; chat programs and browsers truncate longer ones. */
export const MAX_LINK_LENGTH = 64_000;

/** The maximum unpacked size of a link, in bytes. */
const MAX_UNPACKED = 16 * 1024 * 1024;

export type Shared =
  | { kind: "link"; hash: string; withheld: string[]; leftOut: string[]; misplaced: string[] }
  | { kind: "too-large"; length: number };

export type Opened =
  | { kind: "none" }
  | { kind: "workspace"; saved: Saved }
  | { kind: "broken"; message: string };

/** What the core says about a workspace. */
export interface Judged {
  /** One for each outputs document. */
  redacted: (Redacted | null)[];
  /** One for each manifest. */
  classified: Classified[];
}

/** Returns the resources with secrets that a link would contain, each with its file. */
export function literalSecrets(workspace: Saved, classified: Classified[]): string[] {
  return workspace.manifests.flatMap(({ path }, nth) =>
    classified[nth]!.isOutputs ? [] : classified[nth]!.secrets.map(({ kind, name }) => `${kind || "Secret"} ${name || "?"} in ${path}`),
  );
}

/** Creates a link. */
export async function share(workspace: Saved, { redacted, classified }: Judged): Promise<Shared> {
  const withheld: string[] = [];
  const leftOut: string[] = [];
  const outputs = workspace.outputs.map((one, nth) => {
    const safe = redacted[nth];
    if (!safe) {
      leftOut.push(one.path);
      return { ...one, content: "{}\n", format: undefined };
    }
    withheld.push(...safe.outputs.map((name) => `${one.name}.${name}`));
    return { ...one, content: safe.content };
  });
  const misplaced = workspace.manifests.flatMap(({ path }, nth) => (classified[nth]!.isOutputs ? [path] : []));
  const manifests = workspace.manifests.filter((_, nth) => !classified[nth]!.isOutputs);
  const packed = await compress(JSON.stringify({ ...workspace, manifests, outputs }));
  const hash = `#v1=${base64url(packed)}`;
  return hash.length > MAX_LINK_LENGTH
    ? { kind: "too-large", length: hash.length }
    : { kind: "link", hash, withheld, leftOut, misplaced };
}

export async function open(hash: string): Promise<Opened> {
  if (hash === "" || hash === "#") return { kind: "none" };
  const [, version, content] = /^#v(\d+)=(.*)$/s.exec(hash) ?? [];
  if (version === undefined || content === undefined) {
    return { kind: "broken", message: "The part of the address after # is not a playground link." };
  }
  if (version !== "1") {
    return { kind: "broken", message: `This link has version ${version}, but this page supports only version 1. Use a newer playground.` };
  }
  try {
    return { kind: "workspace", saved: validated(JSON.parse(await decompress(bytes(content)))) };
  } catch (error) {
    const why = error instanceof RangeError ? error.message : "It may be incomplete.";
    return { kind: "broken", message: `This link cannot be read. ${why}` };
  }
}

/** Validates a workspace from an untrusted link. */
function validated(value: unknown): Saved {
  const invalid = () => new TypeError("not a workspace");
  const isObject = (one: unknown): one is Record<string, unknown> => typeof one === "object" && one !== null;
  const text = (one: unknown): string => {
    if (typeof one !== "string") throw invalid();
    return one;
  };
  if (!isObject(value) || !Array.isArray(value["manifests"]) || !Array.isArray(value["outputs"])) throw invalid();
  const members = (list: unknown[]) => list.map((one) => (isObject(one) ? one : {}));
  return {
    manifests: members(value["manifests"]).map((one) => ({ path: text(one["path"]), content: text(one["content"]) })),
    outputs: members(value["outputs"]).map((one) => ({
      name: text(one["name"]),
      path: text(one["path"]),
      content: text(one["content"]),
      ...(one["sensitive"] === true && { sensitive: true }),
      ...(typeof one["format"] === "string" && { format: one["format"] }),
    })),
    ...(typeof value["open"] === "string" && { open: value["open"] }),
    ...(typeof value["resourcesOnly"] === "boolean" && { resourcesOnly: value["resourcesOnly"] }),
  };
}

async function compress(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function decompress(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MAX_UNPACKED) {
      await reader.cancel();
      throw new RangeError("It unpacks to more than 16 MB.");
    }
    text += decoder.decode(value, { stream: true });
  }
}

function base64url(packed: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < packed.length; at += 8192) {
    binary += String.fromCharCode(...packed.subarray(at, at + 8192));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytes(content: string): Uint8Array<ArrayBuffer> {
  const binary = atob(content.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
