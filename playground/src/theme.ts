/** Light and dark theme: that of the system until the user chooses one. */
import { byId } from "./dom";

const KEY = "landfall-theme";
const CHOICES = ["auto", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

/** Returns the stored choice. If storage is disabled, a choice lasts until the page is closed. */
function stored(): Choice {
  try {
    return CHOICES.find((choice) => choice === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

export function theme(): void {
  const button = byId("theme");
  let choice = stored();
  const apply = () => {
    if (choice === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = choice;
    button.setAttribute("aria-label", `Theme: ${choice}`);
    button.title = `Theme: ${choice}`;
    button.dataset["choice"] = choice;
  };
  button.addEventListener("click", () => {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    // The first click must have a visible effect.
    const order: Choice[] = isDark ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    choice = order[(order.indexOf(choice) + 1) % order.length] ?? "auto";
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Storage is disabled: see `stored`.
    }
    apply();
  });
  apply();
}
