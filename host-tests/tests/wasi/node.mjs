// node node.mjs MODULE CASES ANSWERS: runs each case by Node's own WASI.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, cases, answers] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));

function run({ arguments: args, stdin }) {
  writeFileSync("stdin", stdin);
  const files = [openSync("stdin"), openSync("stdout", "w"), openSync("stderr", "w")];
  const [read, write, error] = files;
  const wasi = new WASI({
    version: "preview1",
    args: ["landfall", ...args],
    returnOnExit: true,
    stdin: read,
    stdout: write,
    stderr: error,
  });
  const code = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject())) ?? 0;
  files.forEach((file) => closeSync(file));
  return { code, stdout: readFileSync("stdout", "utf8"), stderr: readFileSync("stderr", "utf8") };
}

writeFileSync(answers, JSON.stringify(JSON.parse(readFileSync(cases, "utf8")).map(run)));
