/**
 * Links that hold a workspace: `#v1=` and base64url of deflate-raw of JSON. All of
 * it stands behind the `#`, which no browser sends to a server.
 *
 * Values of sensitive outputs are taken out before anything is written: others of
 * the same type stand in their place, so that the link renders as well.
 */
import { parse, type Node } from "./json";
import type { Saved } from "./state";

/** Chat programs and browsers cut off what is much longer. */
export const LONGEST_LINK = 64_000;

/** A link cannot unfold into more than this many bytes. */
const MOST_UNFOLDED = 16 * 1024 * 1024;

export type Shared =
  | { kind: "link"; hash: string; withheld: string[]; leftOut: string[] }
  | { kind: "too-large"; length: number };

export type Opened =
  | { kind: "none" }
  | { kind: "workspace"; saved: Saved }
  | { kind: "broken"; message: string };

export async function share(workspace: Saved): Promise<Shared> {
  const withheld: string[] = [];
  const leftOut: string[] = [];
  // A key that the manifests name is told by them already; others may be secrets themselves.
  const told = (key: string) => workspace.manifests.some(({ content }) => content.includes(key));
  const outputs = workspace.outputs.map((one) => {
    const safe = withoutSecrets(one.content, one.sensitive ?? false, told);
    if (!safe) {
      leftOut.push(one.path);
      return { ...one, content: "{}\n" };
    }
    withheld.push(...safe.withheld.map((name) => `${one.name}.${name}`));
    return { ...one, content: safe.text };
  });
  const packed = await fold(JSON.stringify({ ...workspace, outputs }));
  const hash = `#v1=${base64url(packed)}`;
  return hash.length > LONGEST_LINK
    ? { kind: "too-large", length: hash.length }
    : { kind: "link", hash, withheld, leftOut };
}

export async function open(hash: string): Promise<Opened> {
  if (hash === "" || hash === "#") return { kind: "none" };
  const [, version, content] = /^#v(\d+)=(.*)$/s.exec(hash) ?? [];
  if (version === undefined || content === undefined) {
    return { kind: "broken", message: "What stands behind # in the address is no link of this page." };
  }
  if (version !== "1") {
    return { kind: "broken", message: `This link is of version ${version}, and this page reads version 1. A newer page may read it.` };
  }
  try {
    return { kind: "workspace", saved: checked(JSON.parse(await unfold(bytes(content)))) };
  } catch (error) {
    const why = error instanceof RangeError ? error.message : "A part of it may be missing: was it cut off?";
    return { kind: "broken", message: `This link cannot be read. ${why}` };
  }
}

/**
 * The document with other values where an output is sensitive; `undefined` where
 * it cannot be told which those are. Every other byte stays. Keys inside of values
 * stay where `isTold` says so.
 */
export function withoutSecrets(
  text: string,
  isAllSensitive: boolean,
  isTold: (key: string) => boolean,
): { text: string; withheld: string[] } | undefined {
  if (text.trim() === "") return { text, withheld: [] };
  let root: Node;
  try {
    root = parse(text);
  } catch {
    return undefined;
  }
  // `terraform output -json` and nothing else: elsewhere a secret can stand anywhere.
  if (!root.members?.every(({ value }) => value.members?.some((field) => field.name === "value"))) return undefined;
  const isOpen = (field: { name: string; value: Node }) =>
    field.name !== "sensitive" || text.slice(field.value.from, field.value.to) === "false";
  // By name: what stands twice is sensitive where one of the two is.
  const withheld = new Set(
    root.members.filter(({ value }) => isAllSensitive || !value.members?.every(isOpen)).map(({ name }) => name),
  );
  let safe = "";
  let at = 0;
  for (const { name, value } of root.members) {
    if (!withheld.has(name)) continue;
    for (const field of value.members ?? []) {
      if (field.name === "sensitive") continue;
      // Terraform writes an object's keys into its type, too.
      const instead = field.name === "type" ? '"dynamic"' : placeholder(field.value, isTold);
      safe += text.slice(at, field.value.from) + instead;
      at = field.value.to;
    }
  }
  return { text: safe + text.slice(at), withheld: [...withheld] };
}

/** A value of the same type that tells nothing. */
function placeholder(node: Node, isTold: (key: string) => boolean): string {
  switch (node.kind) {
    case "string":
      return '"left out of the link"';
    case "number":
      return "0";
    case "bool":
      return "false";
    case "null":
      return "null";
    case "list":
      return node.items?.length ? `[${placeholder(node.items[0]!, isTold)}]` : "[]";
    case "object": {
      const members = (node.members ?? []).filter((one) => isTold(one.name));
      return `{${members.map((one) => `${JSON.stringify(one.name)}: ${placeholder(one.value, isTold)}`).join(", ")}}`;
    }
  }
}

/** A workspace out of a stranger's link: everything in it is what it should be. */
function checked(value: unknown): Saved {
  const wrong = () => new TypeError("not a workspace");
  const isObject = (one: unknown): one is Record<string, unknown> => typeof one === "object" && one !== null;
  const text = (one: unknown): string => {
    if (typeof one !== "string") throw wrong();
    return one;
  };
  if (!isObject(value) || !Array.isArray(value["manifests"]) || !Array.isArray(value["outputs"])) throw wrong();
  const members = (list: unknown[]) => list.map((one) => (isObject(one) ? one : {}));
  return {
    manifests: members(value["manifests"]).map((one) => ({ path: text(one["path"]), content: text(one["content"]) })),
    outputs: members(value["outputs"]).map((one) => ({
      name: text(one["name"]),
      path: text(one["path"]),
      content: text(one["content"]),
      ...(one["sensitive"] === true && { sensitive: true }),
    })),
    ...(typeof value["open"] === "string" && { open: value["open"] }),
    ...(typeof value["resourcesOnly"] === "boolean" && { resourcesOnly: value["resourcesOnly"] }),
  };
}

async function fold(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unfold(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MOST_UNFOLDED) {
      await reader.cancel();
      throw new RangeError("It unfolds into more than a page should hold.");
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
