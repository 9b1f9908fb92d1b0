/** The dialog with the tools: what is done once with what is on the page. */
import type { AdoptionOutcome, Counts, Diagnostic, Document, Edit, Input, OutputsDocument, Range } from "landfall";
import { docOf, inputOf, pluralize, summary, type Snapshot } from "../answer";
import { settings, valueOf } from "../binding";
import { copy } from "../copy";
import { runTool } from "../core/tools";
import { byId, element, prose } from "../dom";
import { dismiss, notice } from "../notices";
import type { Doc, Side, Workspace } from "../state";
import type { Change } from "./settings_form";

/** What the tools do with the page. */
export interface Page {
  workspace: Workspace;
  change: Change;
  jump: (doc: Doc, offset: number) => void;
  /** Returns the rendered manifests, unless there are errors. */
  rendered: () => Document[] | undefined;
  /** Shows another workspace, and offers to undo that. */
  replace: (apply: () => void) => void;
}

/** The maximum number of rows of a list; a last row counts the rest. */
const MAX_ROWS = 200;

/** Outputs that were kept for comparison. Only here: they may be secret. */
let kept: { documents: OutputsDocument[]; at: string } | undefined;

/** Keeps outputs for comparison. */
export function keepOutputs(documents: OutputsDocument[], at: string): void {
  kept = { documents, at };
}

/** Why a value stays as it is. */
const REASONS: Record<Exclude<AdoptionOutcome, "adopted">, string> = {
  ambiguous: "several outputs have this value",
  sensitive: "it contains the value of a sensitive output: only `stringData` of a Secret can refer to one",
  notAdoptable: "a reference there would not render to the same bytes",
  unquoted: "it is not quoted, in a flow collection",
  otherTool: "another tool reads this file",
};

interface Tool {
  id: string;
  title: string;
  about: string;
  /** Buttons and choices, each with what it does; the nodes that it returns are shown. */
  actions: { label: string; run: () => Promise<Node[]> | Node[] }[];
  choice?: HTMLSelectElement;
}

/** Opens the dialog. With the id of a tool, its first action is run at once. */
export function showTools(page: Page, run?: string): void {
  const dialog = byId<HTMLDialogElement>("tools-form");
  const sections = tools(page).map(({ id, title, about, actions, choice }) => {
    const answer = element("div", { class: "tool-answer", "data-testid": `tool-${id}-answer`, "aria-live": "polite" });
    const buttons = actions.map(({ label, run }) => {
      const button = element("button", { type: "button", "data-testid": `tool-${id}` }, label);
      button.addEventListener("click", async () => {
        button.disabled = true;
        answer.replaceChildren(element("p", {}, "Working…"));
        try {
          answer.replaceChildren(...(await run()));
        } catch (error) {
          answer.replaceChildren(element("p", { class: "error" }, `Nothing was done: ${error instanceof Error ? error.message : String(error)}.`));
        }
        button.disabled = false;
      });
      return button;
    });
    return element("section", {}, element("h3", {}, title), element("p", {}, ...prose(about)), element("div", { class: "tool-actions" }, ...(choice ? [choice] : []), ...buttons), answer);
  });
  byId("tools").replaceChildren(...sections);
  if (!dialog.open) dialog.showModal();
  byId("tools").querySelector<HTMLElement>(run ? `[data-testid="tool-${run}"]` : "button")?.[run ? "click" : "focus"]();
}

/** Returns the documents of the page, as the package takes them. */
function input(workspace: Workspace): { snapshot: Snapshot; input: Input } {
  const { snapshot, input: { resourcesOnly } } = inputOf(workspace);
  const { manifests, binding } = snapshot;
  return { snapshot, input: { manifests: manifests.map(document), outputs: bound(snapshot.outputs), resourcesOnly, ...(binding && { binding: document(binding) }) } };
}
const document = ({ path, text }: Doc): Document => ({ path, content: text });
const bound = (docs: Doc[]): OutputsDocument[] =>
  docs.map(({ path, text, name, sensitive, format }) => ({ path, content: text, name, sensitive, ...(format && { format }) }));

function tools(page: Page): Tool[] {
  const { workspace } = page;
  const binding = workspace.binding();
  const dialects = settings().find(({ label }) => label === "dialect");
  const now = dialects && valueOf(binding?.text ?? "", dialects);
  const others = dialects?.values.filter((value) => value !== "landfall") ?? [];
  const choice = element("select", { "aria-label": "Dialect", "data-testid": "tool-dialect" }, ...others.map((value) => element("option", { value, selected: value === now }, value)));
  return [
    {
      id: "adopt",
      title: "Write references for values",
      about: "Finds values in the manifests that equal outputs, and writes references in their place. The result stays the same, byte for byte.",
      actions: [{ label: "Find values", run: () => adopt(page) }],
    },
    {
      id: "compare",
      title: "What changes with other outputs?",
      about: "Keep the outputs, change them or paste those of a new plan, and compare: each value of the result that changes.",
      actions: [
        ...(kept ? [{ label: `Compare with those ${kept.at}`, run: () => compare(page) }] : []),
        {
          label: kept ? "Keep the present outputs instead" : "Keep these outputs",
          run: () => {
            const { outputs } = inputOf(workspace).snapshot;
            keepOutputs(bound(outputs), `of ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`);
            return [element("p", {}, `${pluralize(outputs.length, "document")} kept in this tab. Close this, change the outputs, and come back to compare.`)];
          },
        },
      ],
    },
    {
      id: "migrate",
      title: "Rewrite another dialect",
      about: "Rewrites references of another dialect as landfall's own. The result stays the same.",
      choice,
      actions: [{ label: "Rewrite", run: () => migrate(page, choice.value) }],
    },
    {
      id: "expand",
      title: "Applications for a fleet",
      about: "Makes the Applications of the ApplicationSets in the result, for the cluster Secrets in it. Credentials are not read.",
      actions: [{ label: "Make Applications", run: () => expand(page) }],
    },
    {
      id: "contract",
      title: "A contract for these outputs",
      about: "Names and types of all outputs, and which are sensitive, without a value: what `landfall outputs check` and `spec.contract` hold others to.",
      actions: [{ label: "Write the contract", run: () => contract(page) }],
    },
    {
      id: "sample",
      title: "Outputs for a contract",
      about: "Makes outputs documents with placeholder values for the contract in the open manifest.",
      actions: [{ label: "Make outputs", run: () => sample(page) }],
    },
  ];
}

async function adopt(page: Page): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { edits, values, diagnostics, omitted } = await runTool({ kind: "adopt", input: asked });
  if (!edits) return refused(page, snapshot, diagnostics, omitted, "These manifests do not render yet:");
  if (values.length === 0) return [element("p", {}, "No value in these manifests equals an output.")];
  const rows = values.map(({ file, range, outputs, outcome, conceal }) => {
    const doc = snapshot.manifests[file];
    const written = edits[file]?.find((edit) => edit.range.start.offset === range.start.offset)?.text;
    const value = conceal || !doc ? "" : doc.text.slice(range.start.offset, range.end.offset);
    const what = outcome === "adopted" ? [element("code", {}, value || "(not shown)"), " → ", element("code", {}, written ?? "")] : [outputs.join(", "), ": ", ...prose(REASONS[outcome])];
    return row(page, doc, range, what);
  });
  return [...list(rows), ...applyButton(page, snapshot, edits, [], "value", "Write")];
}

async function migrate(page: Page, dialect: string): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { edits, binding, diagnostics, omitted } = await runTool({ kind: "migrate", input: asked, dialect });
  if (!edits) return refused(page, snapshot, diagnostics, omitted, "These manifests do not render in this dialect:");
  const rows = edits.flatMap((edits, file) =>
    edits.map(({ range, text }) => {
      const doc = snapshot.manifests[file];
      return row(page, doc, range, [element("code", {}, doc?.text.slice(range.start.offset, range.end.offset) ?? ""), " → ", element("code", {}, text)]);
    }),
  );
  const left = diagnostics.length > 0 ? refused(page, snapshot, diagnostics, omitted, "What stays as it is:") : [];
  if (rows.length === 0) return [element("p", {}, "There is nothing to rewrite."), ...left];
  return [...list(rows), ...left, ...applyButton(page, snapshot, edits, binding, "reference", "Rewrite")];
}

async function compare(page: Page): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { renders, changes, otherChanges } = await runTool({ kind: "compare", input: asked, before: kept?.documents ?? [] });
  const what = {
    both: "",
    old: "The manifests no longer render with these outputs: see Problems.",
    new: "The manifests did not render with the outputs before.",
    neither: "The manifests render neither with these outputs nor with those before.",
  }[renders];
  const rows = changes.map(({ file, source, resource, field, output, sensitive, from, to }) => {
    const shown = (value: typeof from) => {
      if (!value) return "(none)";
      if (sensitive) return "(sensitive)";
      return value.rendered ?? (value.type === "string" ? JSON.stringify(value.value) : value.value);
    };
    const place = `${resource?.kind ? `${resource.kind}/${resource.name} ` : ""}${field}`;
    return row(page, snapshot.manifests[file], source, [`${place}: `, element("del", {}, shown(from)), " → ", element("ins", {}, shown(to)), element("small", {}, ` ${output}`)]);
  });
  const others = otherChanges.map(({ file, source, from, to }) =>
    row(page, snapshot.manifests[file], source, [element("del", {}, from ?? "(not shown)"), " → ", element("ins", {}, to ?? "(not shown)")]),
  );
  const count = renders === "both" || rows.length > 0 ? `${pluralize(rows.length + others.length, "change")}.` : "";
  return [element("p", {}, [what, count].filter(Boolean).join(" ")), ...list([...rows, ...others])];
}

async function expand(page: Page): Promise<Node[]> {
  const files = page.rendered();
  if (!files) return [element("p", {}, "There is no result yet: see Problems.")];
  const clusters = files.filter(({ content }) => /argocd\.argoproj\.io\\?\/secret-type/.test(String(content)));
  const manifests = files.filter((file) => !clusters.includes(file));
  const { applications, diagnostics, omitted } = await runTool({ kind: "expand", manifests, clusters });
  const problems = diagnostics.length > 0 ? refused(page, undefined, diagnostics, omitted, applications ? "Warnings:" : "No Applications can be made:") : [];
  if (!applications) return problems;
  const content = applications.map((one) => one.content).join("---\n");
  return [
    element("p", {}, `${pluralize(applications.length, "Application")} for ${pluralize(clusters.length, "file")} with cluster Secrets: ${applications.map(({ name }) => name).join(", ")}.`),
    ...problems,
    ...documentParts(page, "manifests", [{ path: "applications.yaml", content }]),
  ];
}

async function contract(page: Page): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { content, diagnostics, omitted } = await runTool({ kind: "contract", input: asked });
  if (content === undefined) return refused(page, snapshot, diagnostics, omitted, "These outputs cannot be read:");
  return documentParts(page, "manifests", [{ path: "contract.yaml", content }]);
}

async function sample(page: Page): Promise<Node[]> {
  const doc = page.workspace.open.manifests;
  if (!doc) return [element("p", {}, "Open a manifest with a contract first.")];
  const { documents, diagnostics, omitted } = await runTool({ kind: "sample", contract: document(doc) });
  const snapshot = { ...inputOf(page.workspace).snapshot, manifests: [doc] };
  if (!documents) return refused(page, snapshot, diagnostics, omitted, `${doc.path} is no contract that outputs can be made for:`);
  return documentParts(page, "outputs", documents.map(({ name, content }) => ({ path: `${name}.sample.json`, name, content })));
}

/** Shows documents that can be copied, and added to the page. */
function documentParts(page: Page, side: Side, documents: { path: string; name?: string; content: string }[]): Node[] {
  const add = element("button", { type: "button", "data-testid": "tool-add" }, `Add to the ${side}`);
  add.addEventListener("click", () => {
    const undo = page.workspace.checkpoint();
    for (const one of documents) page.workspace.put(side, { ...one, path: page.workspace.freePath(side, one.path) });
    done(page, `${documents.map(({ path }) => path).join(", ")} added.`, undo);
  });
  const blocks = documents.map(({ path, content }) => {
    const button = element("button", { type: "button", class: "quiet", "aria-label": `Copy ${path}` }, "Copy");
    button.addEventListener("click", () => void copy(button, content));
    return element("div", { class: "block" }, element("span", {}, path), button, element("pre", { tabindex: "0" }, content));
  });
  return [...blocks, add];
}

/** Returns the button that applies edits. */
function applyButton(page: Page, snapshot: Snapshot, edits: Edit[][], binding: Edit[], what: string, verb: string): Node[] {
  const count = edits.flat().length;
  if (count === 0) return [];
  const button = element("button", { type: "button", "data-testid": "tool-apply" }, `${verb} ${pluralize(count, what === "value" ? "reference" : what)}`);
  button.addEventListener("click", () => {
    const undo = page.workspace.checkpoint();
    const all: [Doc | undefined, Edit[]][] = [[snapshot.binding, binding], ...edits.map((one, file): [Doc | undefined, Edit[]] => [snapshot.manifests[file], one])];
    for (const [doc, edits] of all) {
      if (doc && edits.length > 0) page.change(doc, edits.map(({ range, text }) => ({ from: range.start.offset, to: range.end.offset, text })));
    }
    done(page, `${pluralize(count, "reference")} written.`, undo);
  });
  return [button];
}

/** Closes the dialog and offers to undo what was done. */
function done(page: Page, text: string, undo: () => void): void {
  byId<HTMLDialogElement>("tools-form").close();
  notice("tool", "info", text, {
    label: "Undo",
    testid: "undo-tool",
    run: () => {
      dismiss("tool");
      page.replace(undo);
    },
  });
}

/** Returns a row with a link to its place. */
function row(page: Page, doc: Doc | undefined, { start }: Range, what: (Node | string)[]): HTMLElement {
  const link = element("button", { type: "button", class: "link" }, `${doc?.path ?? ""}:${start.line}`);
  link.addEventListener("click", () => {
    byId<HTMLDialogElement>("tools-form").close();
    if (doc) page.jump(doc, start.offset);
  });
  return element("li", { "data-testid": "tool-row" }, link, " ", ...what);
}

function list(rows: HTMLElement[]): Node[] {
  const more = rows.length - MAX_ROWS;
  return [element("ul", {}, ...rows.slice(0, MAX_ROWS), ...(more > 0 ? [element("li", {}, `and ${more} more`)] : []))];
}

/** Lists problems, with their places in the documents of a snapshot. */
function refused(page: Page, snapshot: Snapshot | undefined, diagnostics: Diagnostic[], omitted: Counts, title: string): Node[] {
  const rows = diagnostics.map(({ message, help, labels: [first] }) => {
    const doc = snapshot && first && docOf(snapshot, first.origin);
    const what = [...prose(message), ...(help ? [element("small", {}, " ", ...prose(help))] : [])];
    return doc ? row(page, doc, first.range, what) : element("li", {}, ...what);
  });
  const { errors, warnings, notes } = omitted;
  const others = errors + warnings + notes > 0 ? [element("p", {}, `and ${summary({ error: errors, warning: warnings, note: notes }, "more ")}`)] : [];
  return [element("p", {}, title), ...list(rows), ...others];
}
