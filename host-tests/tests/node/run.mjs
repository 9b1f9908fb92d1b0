// run.mjs PACKAGE CASES ANSWERS: makes every call of the cases with the package, and
// writes the results.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, cases, answers] = process.argv.slice(2);
const landfall = await import(pathToFileURL(`${folder}/index.js`));
await landfall.init();

const document = ({ base64, ...rest }) =>
  base64 === undefined ? rest : { ...rest, content: new Uint8Array(Buffer.from(base64, "base64")) };

const made = JSON.parse(await readFile(cases, "utf8")).map(({ input, at }) => {
  const given = {
    ...input,
    manifests: input.manifests.map(document),
    outputs: input.outputs.map(document),
    binding: input.binding && document(input.binding),
  };
  return {
    render: landfall.render(given),
    check: landfall.check(given),
    explain: landfall.explain(given),
    complete: at.map((at) => landfall.complete(given, at)),
    hover: at.map((at) => landfall.hover(given, at)),
    definition: at.map((at) => landfall.definition(given, at)),
    redact: given.outputs.map((of) => landfall.redact(of, { manifests: given.manifests })),
  };
});
await writeFile(answers, JSON.stringify({ made, version: landfall.version() }));
