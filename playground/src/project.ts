/** The workspace as a folder that landfall renders, and what runs it there: for the download and for `Use this`. */
import { isBinding, type Doc, type Workspace } from "./state";
import { distinct, safePath } from "./zip";

export interface Project {
  /** The sources: `manifests/` and `outputs/`. */
  files: { path: string; content: string }[];
  /** The Binding of the page or, if there is none, one that binds the same outputs. */
  binding: { path: string; content: string };
  /** The arguments of `landfall render` and `landfall check`, in the project's folder. */
  args: string;
}

export const HEAD = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n";

/** Quotes a word for a shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Writes a text as a scalar of YAML. */
export const scalar = (text: string): string => (/^[\w./][\w./-]*$/.test(text) ? text : JSON.stringify(text));

/** Returns the entry of an outputs document in a Binding. */
const entry = ({ name, format, sensitive }: Doc, file: string): string =>
  [
    `    - name: ${name}`,
    `      from: {file: ${scalar(file)}}`,
    ...(format ? [`      format: ${format}`] : []),
    ...(sensitive ? ["      sensitive: true"] : []),
  ].join("\n");

/** Returns the lines of `spec.outputs` with files in a folder. */
export const entriesOf = (docs: Doc[], folder: string): string =>
  listed(docs.map((doc) => entry(doc, `${folder}${safePath(doc.path)}`)));

const listed = (entries: string[]): string => (entries.length > 0 ? `  outputs:\n${entries.join("\n")}\n` : "  outputs: []\n");

export function projectOf(workspace: Workspace): Project {
  const manifests = workspace.of("manifests");
  const outputs = workspace.boundOutputs();
  const paths = distinct([
    ...manifests.map(({ path }) => `manifests/${safePath(path)}`),
    ...outputs.map(({ path }) => `outputs/${safePath(path)}`),
  ]);
  const files = [...manifests, ...outputs].map(({ text }, nth) => ({ path: paths[nth]!, content: text }));
  const bound = outputs.map(({ name }, nth) => ({ name, path: paths[manifests.length + nth]! }));
  const flags = bound.map(({ name, path }) => `-b ${quoted(`${name}=${path}`)}`);
  const given = files[manifests.findIndex(isBinding)];
  const entries = outputs.map((doc, nth) => entry(doc, `../${bound[nth]!.path}`));
  const content = `${HEAD}metadata: {name: playground}\nspec:\n${listed(entries)}`;
  const binding = given ?? { path: distinct([...paths, "manifests/landfall.yaml"]).at(-1)!, content };
  // In a folder, each document must be a resource.
  const isOfResources = given || manifests.every(({ text }) => /^\s*["']?apiVersion\b/m.test(text));
  const sources = isOfResources ? ["manifests"] : paths.slice(0, manifests.length).map(quoted);
  // No flag says that a document is sensitive, or what its format is.
  const isNeeded = !given && isOfResources && outputs.some((doc) => doc.sensitive || doc.format);
  return {
    files: isNeeded ? [...files, binding] : files,
    binding,
    args: isNeeded ? "manifests --root ." : [...sources, ...flags].join(" "),
  };
}

/** Returns the text of the project's README.md. */
export const readme = ({ args }: Project): string => `# A workspace of the landfall playground

- \`manifests/\`: what you write, with references to outputs
- \`outputs/\`: the outputs documents
- \`rendered/\`: the result, unless there were errors

\`\`\`sh
landfall render ${args} --output-dir rendered
\`\`\`

\`landfall check ${args}\` reports problems and writes nothing.
`;
