/** Packs and unpacks share links, independently of the page's code. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

export function packed(state: unknown): string {
  return `#v1=${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;
}

export function unpacked(link: string): { text: string; state: unknown } {
  const [, data = ""] = link.split("#v1=");
  const text = inflateRawSync(Buffer.from(data, "base64url")).toString("utf8");
  return { text, state: JSON.parse(text) };
}
