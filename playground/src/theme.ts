/** Light and dark: as the system has it, until the person chooses. */
import { byId } from "./dom";

const KEY = "landfall-theme";
const CHOICES = ["auto", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

/** Storage can be forbidden; then the choice lasts as long as the page. */
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
    // The first press must change something to be seen.
    const order: Choice[] = isDark ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    choice = order[(order.indexOf(choice) + 1) % order.length] ?? "auto";
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // See `stored`.
    }
    apply();
  });
  apply();
}
