/**
 * Reads the examples on a page of docs/language, in the same way as the tests do: a
 * heading `### it …`, then fenced blocks with a role. A block directly under a chapter
 * heading applies to all examples of the chapter.
 */
import { members } from "./json";
import type { Saved } from "./state";

interface Block {
  language: string;
  role: string;
  marks: string[];
  content: string;
}

export interface SpecExample {
  sentence: string;
  saved: Saved;
}

const NO_OUTPUTS = new Set(["manifest", "result", "diagnostics", "binding", "operator"]);

export function examplesOf(page: string): SpecExample[] {
  const found: { sentence: string; blocks: Block[] }[] = [];
  let chapter: Block[] = [];
  let current: { sentence: string; blocks: Block[] } | undefined;
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith("### it ")) {
      current = { sentence: line.slice(7), blocks: [...chapter] };
      found.push(current);
    } else if (line.startsWith("## ")) {
      chapter = [];
      current = undefined;
    }
    const fence = /^(`{3,})(.*)$/.exec(line);
    if (!fence) continue;
    let content = "";
    while (++at < lines.length && lines[at] !== fence[1]) content += `${lines[at]}\n`;
    const [language, role, ...marks] = fence[2]!.trim().split(/\s+/);
    if (!language || !role) continue;
    const block = { language, role, marks, content };
    if (!current) chapter.push(block);
    else {
      const { blocks } = current;
      current.blocks = [...blocks.filter((other) => !(other.role === role && chapter.includes(other))), block];
    }
  }
  return found.flatMap(({ sentence, blocks }) => {
    const saved = workspaceOf(blocks);
    return saved ? [{ sentence, saved }] : [];
  });
}

function workspaceOf(blocks: Block[]): Saved | undefined {
  const manifest = blocks.find((block) => block.role === "manifest");
  const binding = blocks.find((block) => block.role === "binding");
  // The playground has no operator policy.
  if (!manifest || blocks.some((block) => block.role === "operator")) return undefined;
  const path = `manifest.${manifest.language}`;
  return {
    manifests: [
      { path, content: blockText(manifest) },
      ...(binding
        ? [{ path: "landfall.yaml", content: `apiVersion: landfall.dev/v1alpha1\nkind: Binding\n${binding.content}` }]
        : []),
    ],
    outputs: blocks
      .filter((block) => !NO_OUTPUTS.has(block.role))
      .map((block) => ({ name: block.role, path: `${block.role}.${block.language}`, ...outputsDocument(block) })),
    open: path,
    resourcesOnly: manifest.marks.includes("folder"),
  };
}

/**
 * Returns the outputs document of a block: JSON is the short form unless it is marked `as-is`,
 * and any other language names the format of the document, except for `text`.
 */
function outputsDocument(block: Block): { content: string; format?: string } {
  if (block.language === "json" && !block.marks.includes("as-is")) return { content: expanded(block.content) };
  return { content: blockText(block), ...(block.language !== "text" && { format: block.language }) };
}

/** Returns the text of a block: replaces the symbols for invisible characters and applies its marks. */
function blockText({ content, marks }: Block): string {
  let text = content.replaceAll("␠", " ").replaceAll("␉", "\t").replaceAll("␍", "\r");
  if (marks.includes("no-eol")) text = text.replace(/\n$/, "");
  if (marks.includes("crlf")) text = text.replaceAll("\n", "\r\n");
  return marks.includes("bom") ? `\uFEFF${text}` : text;
}

/** Expands the short form `{"name": value, "secret!": value}` to the format of `terraform output -json`. */
function expanded(short: string): string {
  const outputs = [...members(short, short.indexOf("{"))].map(({ key, value }) => {
    const name = JSON.parse(short.slice(key.from, key.to)) as string;
    const isSensitive = name.endsWith("!");
    const bare = JSON.stringify(isSensitive ? name.slice(0, -1) : name);
    const sensitive = isSensitive ? `"sensitive": true, ` : "";
    return `  ${bare}: {${sensitive}"value": ${short.slice(value.from, value.to)}}`;
  });
  return `{\n${outputs.join(",\n")}\n}\n`;
}
