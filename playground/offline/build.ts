/** Lists the files of a build in its service worker. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

const SCRIPT = "service_worker.js";

/** Writes the list of the files in `folder` in front of its service worker; without `isOn`, an empty list. */
export function stamp(folder: string, isOn = true): void {
  const digest = (algorithm: string, content: string | Buffer) => createHash(algorithm).update(content).digest("base64");
  const files: Record<string, string> = {};
  for (const entry of isOn ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(folder, sep).length).replaceAll(sep, "/");
    // Images are for link previews only.
    if (!entry.isFile() || /\.(br|gz|png)$/.test(path) || path === SCRIPT) continue;
    files[path.replace(/(^|\/)index\.html$/, "$1")] = `sha256-${digest("sha256", readFileSync(file))}`;
  }
  const code = readFileSync(join(folder, SCRIPT), "utf8").replace(/^const BUILD=.*\n/, "");
  const build = { digest: digest("sha256", JSON.stringify(files) + code), files };
  writeFileSync(join(folder, SCRIPT), `const BUILD=${JSON.stringify(build)};\n${code}`);
}
