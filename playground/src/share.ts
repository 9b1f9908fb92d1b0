/**
 * Links that contain a workspace: `#v1=` and the base64url of its deflate-raw JSON. The
 * part of an address after `#` is never sent to a server.
 *
 * The core redacts the outputs documents before anything is encoded: it replaces the values
 * of sensitive outputs with others of the same type, so that the workspace still renders. It
 * also classifies the manifests: outputs documents among them are left out.
 */
import type { Classified } from "landfall";
import type { Sensitivity } from "./core/protocol";
import { FORMAT, NAME } from "./paths";
import { isBlank, type Saved } from "./state";

/** The longest link, in characters; chat programs and browsers truncate longer ones. */
export const MAX_LINK_LENGTH = 64_000;

/** The maximum unpacked size of a link, in bytes. */
const MAX_UNPACKED = 16 * 1024 * 1024;

/** What a workspace holds that must not be shared. */
export interface Omitted {
  /** The names of sensitive outputs, whose values were replaced. */
  withheld: string[];
  /** The paths of outputs documents in which the sensitive values are unknown. */
  leftOut: string[];
  /** The paths of outputs documents among the manifests. */
  misplaced: string[];
}

export type Redaction = Omitted & { saved: Saved };

export type Shared =
  | ({ kind: "link"; hash: string } & Redaction)
  | { kind: "too-large"; length: number };

export type Opened =
  | { kind: "none" }
  | { kind: "workspace"; saved: Saved }
  | { kind: "broken"; message: string };

/** Returns the names of the resources with secrets in a manifest. */
export const secretsIn = ({ secrets }: Classified): string[] => secrets.map(({ kind, name }) => `${kind || "Secret"} ${name || "?"}`);

/** Returns the resources with secrets that a link would contain, each with its file. */
export function literalSecrets(workspace: Saved, classified: Classified[]): string[] {
  return workspace.manifests.flatMap(({ path }, nth) =>
    classified[nth]!.isOutputs ? [] : secretsIn(classified[nth]!).map((secret) => `${secret} in ${path}`),
  );
}

/** Returns a workspace without the values of sensitive outputs. An outputs document in which they are unknown is emptied. */
export function withoutSecrets(workspace: Saved, { redacted, classified }: Sensitivity): Redaction {
  const withheld: string[] = [];
  const leftOut: string[] = [];
  const outputs = workspace.outputs.map((one, nth) => {
    const safe = redacted[nth];
    if (!safe) {
      if (!isBlank(one.content)) leftOut.push(one.path);
      return { ...one, content: "" };
    }
    withheld.push(...safe.outputs.map((name) => `${one.name}.${name}`));
    return { ...one, content: safe.content };
  });
  const misplaced = workspace.manifests.flatMap(({ path }, nth) => (classified[nth]!.isOutputs ? [path] : []));
  const manifests = workspace.manifests.filter((_, nth) => !classified[nth]!.isOutputs);
  const saved = { ...workspace, manifests, outputs, ...(withheld.length > 0 && { withheld }) };
  return { saved, withheld, leftOut, misplaced };
}

/** Creates a link. */
export async function share(workspace: Saved, sensitivity: Sensitivity): Promise<Shared> {
  const redaction = withoutSecrets(workspace, sensitivity);
  const hash = `#v1=${base64url(await compress(JSON.stringify(redaction.saved)))}`;
  return hash.length > MAX_LINK_LENGTH ? { kind: "too-large", length: hash.length } : { kind: "link", hash, ...redaction };
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

/** Validates a workspace from an untrusted link or from the browser's storage. */
export function validated(value: unknown): Saved {
  const invalid = () => new TypeError("not a workspace");
  const isObject = (one: unknown): one is Record<string, unknown> => typeof one === "object" && one !== null;
  const text = (one: unknown): string => {
    if (typeof one !== "string") throw invalid();
    return one;
  };
  if (!isObject(value) || !Array.isArray(value["manifests"]) || !Array.isArray(value["outputs"])) throw invalid();
  // They are written into files that others run.
  const matching = (one: unknown, pattern: RegExp): string => {
    if (!pattern.test(text(one))) throw invalid();
    return text(one);
  };
  const members = (list: unknown[]) => list.map((one) => (isObject(one) ? one : {}));
  return {
    manifests: members(value["manifests"]).map((one) => ({ path: text(one["path"]), content: text(one["content"]) })),
    outputs: members(value["outputs"]).map((one) => ({
      name: matching(one["name"], NAME),
      path: text(one["path"]),
      content: text(one["content"]),
      ...(one["sensitive"] === true && { sensitive: true }),
      ...(typeof one["format"] === "string" && { format: matching(one["format"], FORMAT) }),
    })),
    ...(typeof value["open"] === "string" && { open: value["open"] }),
    ...(Array.isArray(value["withheld"]) && { withheld: value["withheld"].map(text) }),
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
