/** What the page opens with: the build writes it into each page, see `pages.ts`. */
import type { Explanation } from "landfall";
import { byId } from "./dom";
import type { Example } from "./story_files";

/** An example as the page has it when it is opened. */
export interface First {
  /** `first`, or that of a story. */
  name: string;
  saved: Example;
  /** The module's answer, which is shown before the module has arrived. */
  answer: Explanation;
}

export const first = JSON.parse(byId("first").textContent ?? "") as First;
