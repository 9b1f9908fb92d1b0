/** The line with a story's words, in the place of the page's own. */
import { addresses } from "./addresses";
import { byId, element, prose } from "./dom";
import type { Workspace } from "./state";
import type { Story } from "./story_texts";

/** Shows the line of the story that is open, or the page's own. */
export function showStory(isShown: boolean): void {
  byId("story").hidden = !isShown;
  byId("lead").hidden = isShown;
}

/** Writes the line of a story, as `pages.ts` does. */
export function writeStory({ question, answer, attempt, page }: Story): void {
  const link = element("a", { href: `${addresses.docs}/${page}` }, "Read more");
  byId("story").replaceChildren(element("b", {}, question), " ", ...prose(`${answer} ${attempt}`), " ", link);
  showStory(true);
}

/** Shows the page's own line once nothing of the example is left. */
export function leaveStory(workspace: Workspace): void {
  workspace.listen(() => {
    if (!workspace.docs.some((doc) => doc.isOfExample)) showStory(false);
  });
}
