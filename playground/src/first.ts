/** What the page opens with: the build writes it into each page, see `pages.ts`. */
import type { Explanation } from "landfall";
import { byId } from "./dom";
import type { Saved } from "./state";

interface First {
  /** `first`, or that of a story. */
  name: string;
  saved: Saved;
  /** The module's answer, which is shown before the module has arrived. */
  answer: Explanation;
}

export const first = JSON.parse(byId("first").textContent ?? "") as First;
