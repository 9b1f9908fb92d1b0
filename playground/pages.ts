/**
 * The pages that the build writes: the first page, and one for each story, with its words for search
 * engines and link previews, and with its documents and its result, which are seen before any script ran.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type * as Package from "landfall";
import { cellsOf, COVER, inputOf, problemCounts, summary } from "./src/answer";
import { addresses } from "./src/addresses";
import type { First } from "./src/first";
import { Workspace, type Saved } from "./src/state";
import { isStory, stories, type StoryName } from "./src/stories";
import { storyOf, storyTexts } from "./src/story_files";
import type { Story } from "./src/story_texts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The module as it is published. */
const core = (await import(/* @vite-ignore */ at("../dist/browser/index.js"))) as typeof Package;
await core.init(readFileSync(at("../dist/browser/landfall_bg.wasm")));

type Input = Parameters<typeof Package.explain>[0];

const inputFor = (workspace: Workspace): Input => {
  const content = ({ key, ...one }: { key: number; path: string }) => ({ ...one, content: workspace.find(key)!.text });
  const { manifests, outputs, binding, ...rest } = inputOf(workspace).input;
  return { ...rest, manifests: manifests.map(content), outputs: outputs.map(content), ...(binding && { binding: content(binding) }) } as Input;
};

export function opened(name: string): First {
  const saved = storyOf(name);
  return { name, saved, answer: core.explain(inputFor(loaded(saved))) };
}

function loaded(saved: Saved): Workspace {
  const workspace = new Workspace();
  workspace.load(saved, true);
  return workspace;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (found) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[found]!);

const plain = (sentence: string): string => sentence.replaceAll("`", "");

/** Returns the markup of a sentence with code in backticks. */
const prose = (sentence: string): string => escaped(sentence).replace(/`([^`]*)`/g, "<code>$1</code>");

/** A range of a text with its class; `cover` in place of the value of a sensitive output. */
interface Mark {
  range: Package.Range;
  name: "reference" | "value" | "defined" | "cover";
}

/** Returns the markup of a text with its marks, at the place of the editor that replaces it. */
function textWith(text: string, marks: Mark[]): string {
  let [markup, done] = ["", 0];
  for (const { range: { start, end }, name } of marks.sort((a, b) => a.range.start.offset - b.range.start.offset)) {
    if (start.offset < done) continue;
    const content = name === "cover" ? COVER : escaped(text.slice(start.offset, end.offset));
    markup += `${escaped(text.slice(done, start.offset))}<span class="${name}">${content}</span>`;
    done = end.offset;
  }
  return `<pre class="prerendered">${markup}${escaped(text.slice(done))}</pre>`;
}

/** Replaces a part of the page, which must be there once. */
function put(page: string, part: string, by: string): string {
  if (page.split(part).length !== 2) throw new Error(`index.html has to have this once: ${part}`);
  return page.replace(part, () => by);
}

export const names = Object.keys(stories) as StoryName[];

/** Returns the page of a story, or the first page. `site` is the address of the first page, if it is known: previews need it. */
export function pageOf(page: string, name = "", site = ""): string {
  const one = opened(isStory(name) ? name : "first");
  const empty = '<script type="application/json" id="first"></script>';
  const made = put(page, empty, empty.replace("><", () => `>${JSON.stringify(one).replaceAll("<", "\\u003c")}<`));
  const readable = put(made, "<!-- first result -->", withoutScripts(one));
  return isStory(name) ? withDocuments(withWords(readable, name, site), one) : readable;
}

/** Returns the markup of the result for browsers without scripts. */
function withoutScripts({ saved, answer: { files, substitutions = [] } }: First): string {
  const file = Math.max(0, files?.findIndex(({ path }) => path === saved.open) ?? 0);
  const secrets = substitutions.filter((one) => one.sensitive && one.file === file);
  return files ? textWith(files[file]!.content, secrets.map(({ result }): Mark => ({ range: result, name: "cover" }))) : "<p>Nothing is rendered: there are errors.</p>";
}

/** Puts the words of a story into a page. */
function withWords(page: string, name: StoryName, site: string): string {
  const story = storyTexts[name];
  let made = page.replaceAll('="./', '="../../');
  made = made.replace(/<meta name="description" [^>]*>/, `<meta name="description" content="${escaped(plain(story.answer))}" />`);
  made = put(made, "<title>landfall playground</title>", head(name, story, site));
  made = put(made, '<p class="lead" id="lead">', '<p class="lead" id="lead" hidden>');
  const line = `<b>${escaped(story.question)}</b> ${prose(`${story.answer} ${story.attempt}`)} <a href="${addresses.docs}/${story.page}">Read more</a>`;
  return put(made, ' id="story" data-testid="story" hidden></p>', ` id="story" data-testid="story">${line}</p>`);
}

function head(name: StoryName, { question, answer }: Story, site: string): string {
  const address = site && `${site.replace(/\/*$/, "/")}stories/${name}/`;
  const properties = {
    "og:type": "article",
    "og:site_name": "landfall playground",
    "og:title": question,
    "og:description": plain(answer),
    ...(address && { "og:url": address }),
    "og:image": `${address}image.png`,
    "og:image:width": "1200",
    "og:image:height": "630",
    "og:image:alt": `${question} ${plain(answer)}`,
  };
  return [
    `<title>${escaped(question)} – landfall playground</title>`,
    `<link rel="canonical" href="${escaped(address || "./")}" />`,
    ...Object.entries(properties).map(([property, content]) => `<meta property="${property}" content="${escaped(content)}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join("\n    ");
}

/** Puts the open documents, the result and the substitutions into a page. */
function withDocuments(page: string, { saved, answer }: First): string {
  const workspace = loaded(saved);
  const { manifests, outputs } = workspace.open;
  const { files: rendered, substitutions = [] } = answer;
  const { snapshot } = inputOf(workspace);
  const file = snapshot.manifests.indexOf(manifests!);
  const here = substitutions.filter((one) => one.file === file);
  const { resourcesOnly: _, ...input } = inputFor(workspace);
  const redacted = core.redact(input.outputs![0]!, input);
  if (!redacted) throw new Error(`the secrets of ${outputs!.path} are not known`);
  const inEditor = (page: string, id: string, text: string) => {
    const editor = '<div class="editor">';
    const [before, after = ""] = page.split(`<div class="body" id="${id}-body"`);
    return `${before}<div class="body" id="${id}-body"${after.replace(editor, () => editor + text)}`;
  };
  let made = inEditor(page, "outputs", textWith(outputs!.text, [
    ...substitutions.flatMap(({ definition }): Mark[] => (definition ? [{ range: definition, name: "defined" }] : [])),
    ...redacted.replaced.map((range): Mark => ({ range, name: "cover" })),
  ]));
  made = inEditor(made, "manifests", textWith(manifests!.text, here.map(({ source }) => ({ range: source, name: "reference" }))));
  if (!rendered) {
    const note = 'data-testid="result-note"></div>';
    return put(made, note, note.replace("><", () => `>Nothing was rendered: ${summary(problemCounts(answer))}.<`));
  }
  const marks = here.map(({ result, sensitive }): Mark => ({ range: result, name: sensitive ? "cover" : "value" }));
  const editor = '<div class="editor" id="result-editor" hidden></div>';
  made = put(made, editor, editor.replace(" hidden><", () => `>${textWith(rendered[file]!.content, marks)}<`));
  made = put(made, '<div class="note" id="result-note"', '<div class="note" id="result-note" hidden');
  made = put(made, 'Substitutions <span class="count">0</span>', `Substitutions <span class="count">${substitutions.length}</span>`);
  const rows = substitutions.map((one) => Object.values(cellsOf(snapshot, one)).map((cell) => `<td>${escaped(cell)}</td>`).join(""));
  return put(made, '<tbody id="substitution-rows"></tbody>', `<tbody id="substitution-rows">${rows.map((row) => `<tr>${row}</tr>`).join("")}</tbody>`);
}
