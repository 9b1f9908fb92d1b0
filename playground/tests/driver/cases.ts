/** The examples of the repository, as workspaces of the page and as calls of the command. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { examples, expanded, written, type Block } from "./spec_pages";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface Case {
  name: string;
  manifests: { path: string; content: string }[];
  outputs: { name: string; path: string; content: string; format?: string }[];
  /** Whether every document must be a resource. */
  resourcesOnly: boolean;
}

/** The rendered files of a case; `undefined` if there are errors. */
export type Rendered = Map<string, Buffer> | undefined;

const HEADER = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n";

/** Roles of blocks that are not outputs documents. */
const OTHER_ROLES = new Set(["manifest", "binding", "operator", "result", "diagnostics"]);

/**
 * Returns the examples of docs/language and docs/rules.md, without those with an operator
 * policy, which neither the page nor `landfall render` supports.
 */
export async function specCases(): Promise<{ cases: Case[]; operators: number }> {
  const language = (await readdir(join(ROOT, "docs/language"))).filter((name) => name.endsWith(".md"));
  const pages = [...language.sort().map((name) => `language/${name}`), "rules.md"];
  const cases: Case[] = [];
  let operators = 0;
  for (const page of pages) {
    for (const { line, sentence, blocks } of examples(await readFile(join(ROOT, "docs", page), "utf8"))) {
      const role = (wanted: string) => blocks.find((block) => block.role === wanted);
      const manifest = role("manifest");
      if (!manifest) throw new Error(`docs/${page}:${line}: example without a manifest`);
      if (role("operator")) {
        operators++;
        continue;
      }
      const binding = role("binding");
      cases.push({
        name: `docs/${page}:${line}: ${sentence}`,
        manifests: [
          ...(binding ? [{ path: "landfall.yaml", content: HEADER + binding.content }] : []),
          { path: "manifest.yaml", content: written(manifest) },
        ],
        resourcesOnly: manifest.marks.has("folder"),
        outputs: blocks
          .filter((block) => !OTHER_ROLES.has(block.role))
          // Two documents may share a name.
          .map((block, nth) => ({ name: block.role, path: `${block.role}-${nth}.${block.language}`, ...outputsDocument(block) })),
      });
    }
  }
  return { cases, operators };
}

/**
 * Returns the outputs document of a block: JSON is the short form unless it is marked `as-is`,
 * and any other language names the format of the document, except for `text`.
 */
function outputsDocument(block: Block): { content: string; format?: string } {
  if (block.language === "json" && !block.marks.has("as-is")) return { content: expanded(block.content) };
  return { content: written(block), ...(block.language !== "text" && { format: block.language }) };
}

/** Returns the files in one folder of an archive. */
export function below(files: Map<string, Buffer>, folder: string): Map<string, Buffer> {
  const start = `${folder}/`;
  const found = [...files].filter(([path]) => path.startsWith(start));
  return new Map(found.map(([path, bytes]) => [path.slice(start.length), bytes]));
}

/** Renders cases with the command, several in parallel. */
export async function renderAll(cases: Case[]): Promise<Rendered[]> {
  const answers: Rendered[] = [];
  let next = 0;
  const work = async () => {
    for (let nth = next++; nth < cases.length; nth = next++) answers[nth] = await render(cases[nth]!);
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return answers;
}

/** Returns the file that a Binding binds to a name with a format. */
function fileInBinding(binding: string, name: string): string | undefined {
  const entry = new RegExp(`name: ${name}\\n +from: \\{file: ([^}]+)\\}\\n +format: `);
  return entry.exec(binding)?.[1];
}

async function render({ manifests, outputs, resourcesOnly }: Case): Promise<Rendered> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-"));
  // Outside of the folder, so that the result is not a source itself.
  const out = await mkdtemp(join(tmpdir(), "landfall-rendered-"));
  try {
    const own = manifests.find(({ path }) => path === "landfall.yaml")?.content ?? "";
    const inBinding = outputs.map((document) => ({ ...document, path: fileInBinding(own, document.name) ?? document.path }));
    const isNamed = (document: { name: string; format?: string }) => document.format && fileInBinding(own, document.name);
    // Only a Binding can name a format.
    const unnamed = outputs.filter((document) => document.format && !isNamed(document));
    const entries = unnamed.map(({ name, path, format }) => ({ name, from: { file: path }, format }));
    const inputs = [...manifests, ...outputs.filter((document) => !isNamed(document)), ...inBinding.filter(isNamed)];
    if (entries.length > 0) inputs.push({ path: "landfall.yaml", content: `${HEADER}spec: ${JSON.stringify({ outputs: entries })}\n` });
    for (const { path, content } of inputs) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const bound = outputs.filter(({ format }) => !format).flatMap(({ name, path }) => ["-b", `${name}=${path}`]);
    const isBinding = (path: string) => path === "landfall.yaml";
    const binding = inputs.some(({ path }) => isBinding(path)) ? ["-c", "landfall.yaml"] : [];
    const files = manifests.map(({ path }) => path).filter((path) => !isBinding(path));
    const command = process.env.LANDFALL_BIN ?? "";
    // In a folder every document must be a resource; in single files it need not be.
    const sources = resourcesOnly ? ["."] : files;
    const args = ["render", "-q", "--output-dir", out, ...binding, ...bound, ...sources];
    try {
      await promisify(execFile)(command, args, { cwd: folder });
    } catch (error) {
      // Exit code 1: the input has errors.
      if ((error as { code?: unknown }).code === 1) return undefined;
      throw error;
    }
    const rendered = new Map<string, Buffer>();
    for (const path of files) rendered.set(path, await readFile(join(out, path)));
    return rendered;
  } finally {
    await rm(folder, { recursive: true });
    await rm(out, { recursive: true });
  }
}

/** Returns the files in a folder of the repository, by their relative paths. */
export async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(join(ROOT, folder).length + 1), await readFile(path));
  }
  return files;
}
