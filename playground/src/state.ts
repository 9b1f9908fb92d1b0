/** The workspace: manifests and outputs documents, and which of them are open. */
import type { Document, OutputsDocument } from "landfall";

export type Side = "manifests" | "outputs";

export interface Doc {
  readonly key: number;
  readonly side: Side;
  path: string;
  /** For outputs documents: the binding name that references use. */
  name: string;
  /** For outputs documents: every value is sensitive, for example because it comes from a Secret. */
  sensitive: boolean;
  /** For outputs documents: the format, if it is not detected from the content. */
  format: string | undefined;
  text: string;
  /** Incremented by every change of `text`. */
  revision: number;
  /** Whether the document is part of an example and was not changed. */
  isOfExample: boolean;
  /** The sensitive outputs that have placeholders instead of their values. */
  withheld: string[];
}

/** A workspace as it is stored in examples and in links. */
export interface Saved {
  manifests: { path: string; content: string }[];
  outputs: { name: string; path: string; content: string; sensitive?: boolean; format?: string | undefined }[];
  /** Path of the manifest to open first. */
  open?: string;
  /**
   * Whether every document must be a resource. The default is whether there is a Binding,
   * as for a folder.
   */
  resourcesOnly?: boolean;
  /** The sensitive outputs that have placeholders instead of their values: `infra.password`. */
  withheld?: string[];
}

export type Change =
  /** Documents were added, removed or renamed. */
  | "documents"
  /** Another document is open. */
  | "open"
  /** The text of a document changed. */
  | "text";

/** The longest text that an editor shows, in characters; longer documents are rendered, but cannot be edited. */
export const EDITOR_LIMIT = 2 * 1024 * 1024;

/** The longest document that the page accepts, in characters. */
export const DOCUMENT_LIMIT = 64 * 1024 * 1024;

export const BINDING_NAME = /(^|\/)landfall\.ya?ml$/;
/** The text that replaces the value of a sensitive output in links and drafts. */
const PLACEHOLDER = "(sensitive)";

const BINDING_KIND = /^kind:[ \t]*["']?Binding\b/m;
const BINDING_GROUP = /^apiVersion:[ \t]*["']?landfall\.dev\//m;

/** Returns whether a text has nothing but white space, as that of a document that is still empty. */
export const isBlank = (text: string): boolean => !/\S/.test(text);

/** Returns whether a manifest is a Binding: by its file name, as in the command, or by its kind. */
export function isBinding(doc: Doc): boolean {
  if (doc.side !== "manifests") return false;
  if (BINDING_NAME.test(doc.path)) return true;
  const head = doc.text.slice(0, 4096);
  return BINDING_KIND.test(head) && BINDING_GROUP.test(head);
}

/** Outputs that were kept to compare others with, and what they are: `of 10:32`. */
export interface Before {
  documents: OutputsDocument[];
  /** The Binding of that time: it says which are sensitive. */
  binding?: Document | undefined;
  what: string;
}

export class Workspace {
  readonly docs: Doc[] = [];
  readonly open: Record<Side, Doc | undefined> = { manifests: undefined, outputs: undefined };
  /** The workspace is an example without changes. */
  isUntouched = true;
  /** See `Saved`. */
  resourcesOnly: boolean | undefined;
  /** Outputs to compare with. Never saved: they may be secret. */
  before: Before | undefined;
  #listeners: ((change: Change) => void)[] = [];
  #next = 1;

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  #notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  of(side: Side): Doc[] {
    return this.docs.filter((doc) => doc.side === side);
  }

  find(key: number): Doc | undefined {
    return this.docs.find((doc) => doc.key === key);
  }

  /** Returns the Binding in effect: the first one. */
  binding(): Doc | undefined {
    return this.docs.find(isBinding);
  }

  /** Replaces all documents. */
  load(saved: Saved & { before?: Before["documents"] }, isExample: boolean): void {
    this.before = saved.before && { documents: saved.before, what: "before the change" };
    this.docs.length = 0;
    for (const one of saved.outputs) this.#push("outputs", one, isExample);
    for (const one of saved.manifests) this.#push("manifests", one, isExample);
    this.open.outputs = this.of("outputs")[0];
    const manifests = this.of("manifests");
    this.open.manifests =
      manifests.find((doc) => doc.path === saved.open) ??
      manifests.find((doc) => !isBinding(doc)) ??
      manifests[0];
    this.isUntouched = isExample;
    this.resourcesOnly = saved.resourcesOnly;
    for (const doc of this.of("outputs")) {
      const prefix = `${doc.name}.`;
      doc.withheld = (saved.withheld ?? []).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    }
    this.#notify("documents");
  }

  /** Records the current documents and their texts; returns a function that restores them. */
  checkpoint(): () => void {
    const docs = this.docs.map((doc) => ({ doc, text: doc.text, isOfExample: doc.isOfExample }));
    const { open, isUntouched, resourcesOnly, before } = this;
    const opened = { ...open };
    return () => {
      this.docs.splice(0, this.docs.length, ...docs.map(({ doc }) => doc));
      for (const { doc, text, isOfExample } of docs) {
        if (doc.text === text) continue;
        Object.assign(doc, { text, isOfExample });
        doc.revision++;
      }
      Object.assign(open, opened);
      Object.assign(this, { isUntouched, resourcesOnly, before });
      this.#notify("documents");
    };
  }

  save(): Saved {
    return {
      manifests: this.of("manifests").map(({ path, text }) => ({ path, content: text })),
      outputs: this.of("outputs").map(({ name, path, text, sensitive, format }) => ({
        name,
        path,
        content: text,
        ...(sensitive && { sensitive }),
        ...(format && { format }),
      })),
      ...(this.open.manifests && { open: this.open.manifests.path }),
      ...(this.resourcesOnly !== undefined && { resourcesOnly: this.resourcesOnly }),
    };
  }

  #push(
    side: Side,
    from: { path: string; content: string; name?: string; sensitive?: boolean; format?: string | undefined },
    isOfExample = false,
  ): Doc {
    const doc: Doc = {
      key: this.#next++,
      side,
      path: this.freePath(side, from.path),
      name: from.name ?? "",
      sensitive: from.sensitive ?? false,
      format: from.format,
      text: from.content,
      revision: 1,
      isOfExample,
      withheld: [],
    };
    this.docs.push(doc);
    return doc;
  }

  /** Adds a document, or replaces the text of the one with this path. */
  put(
    side: Side,
    from: { path: string; content: string; name?: string; sensitive?: boolean; format?: string | undefined },
  ): "added" | "replaced" {
    this.isUntouched = false;
    const existing = this.of(side).find((doc) => doc.path === from.path);
    if (existing) {
      existing.text = from.content;
      existing.revision++;
      existing.isOfExample = false;
      existing.withheld = [];
    }
    this.open[side] = existing ?? this.#push(side, from);
    this.#notify("documents");
    return existing ? "replaced" : "added";
  }

  /** The outputs that have placeholders, as references name them: `infra.password`. */
  get withheld(): ReadonlySet<string> {
    return new Set(this.of("outputs").flatMap(({ name, withheld }) => withheld.map((one) => `${name}.${one}`)));
  }

  /** The outputs documents that are bound: those that are not empty. */
  boundOutputs(): Doc[] {
    return this.of("outputs").filter(({ text }) => !isBlank(text));
  }

  examplesOf(side: Side): Doc[] {
    return this.of(side).filter((doc) => doc.isOfExample);
  }

  /** Removes the unchanged documents of an example from one side; returns whether there were any. */
  clearExample(side: Side): boolean {
    const docs = this.examplesOf(side);
    for (const doc of docs) this.docs.splice(this.docs.indexOf(doc), 1);
    const { open } = this;
    if (open[side]?.isOfExample) open[side] = this.of(side)[0];
    // The setting belonged to the example's manifests.
    if (docs.length > 0 && side === "manifests") this.resourcesOnly = undefined;
    return docs.length > 0;
  }

  /** Removes a document; returns its index among the documents of its side. */
  remove(doc: Doc): number {
    const siblings = this.of(doc.side);
    const at = siblings.indexOf(doc);
    this.docs.splice(this.docs.indexOf(doc), 1);
    if (this.open[doc.side] === doc) this.open[doc.side] = siblings[at + 1] ?? siblings[at - 1];
    this.isUntouched = false;
    this.#notify("documents");
    return at;
  }

  /** Restores a document at its index; renames it if its path or binding name is in use by now. */
  restore(doc: Doc, at: number): void {
    const { side, path, name } = doc;
    doc.path = this.freePath(side, path);
    if (side === "outputs" && this.of(side).some((one) => one.name === name)) doc.name = this.freeName(path);
    const next = this.of(side)[at];
    this.docs.splice(next ? this.docs.indexOf(next) : this.docs.length, 0, doc);
    this.open[side] = doc;
    this.isUntouched = false;
    this.#notify("documents");
  }

  setDetails(doc: Doc, to: { path: string; name?: string; sensitive?: boolean; format?: string | undefined }): void {
    doc.path = to.path;
    doc.name = to.name ?? doc.name;
    doc.sensitive = to.sensitive ?? doc.sensitive;
    doc.format = to.format;
    doc.isOfExample = false;
    this.isUntouched = false;
    this.#notify("documents");
  }

  show(doc: Doc): void {
    if (this.open[doc.side] === doc) return;
    this.open[doc.side] = doc;
    this.#notify("open");
  }

  /** Changes the text of a document. If the change does not come from an editor, editors reload it. */
  edit(doc: Doc, text: string, by: "editor" | "page" = "editor"): void {
    doc.text = text;
    doc.revision++;
    doc.isOfExample = false;
    this.isUntouched = false;
    if (!text.includes(PLACEHOLDER)) doc.withheld = [];
    this.#notify(by === "editor" ? "text" : "documents");
  }

  /** Returns the wanted path, or a similar one that is not in use on this side. */
  freePath(side: Side, wanted: string): string {
    const taken = new Set(this.of(side).map((doc) => doc.path));
    if (!taken.has(wanted)) return wanted;
    const [, stem = wanted, end = ""] = /^(.*?)(\.[^./]*)?$/s.exec(wanted) ?? [];
    for (let nth = 2; ; nth++) {
      const path = `${stem}-${nth}${end}`;
      if (!taken.has(path)) return path;
    }
  }

  /** Returns a binding name that is not in use, `infra` if possible. */
  freeName(path: string): string {
    const names = new Set(this.of("outputs").map((doc) => doc.name));
    if (!names.has("infra")) return "infra";
    const base = path.replace(/^.*\//, "").replace(/\..*$/, "").replace(/[^A-Za-z0-9_-]/g, "_");
    const wanted = /^[A-Za-z_]/.test(base) ? base : `outputs_${base}`;
    if (!names.has(wanted)) return wanted;
    for (let nth = 2; ; nth++) {
      if (!names.has(`${wanted}_${nth}`)) return `${wanted}_${nth}`;
    }
  }
}
