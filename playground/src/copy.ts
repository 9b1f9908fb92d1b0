/** Copies a text to the clipboard and says so on the button. */
export async function copy(button: HTMLElement, text: string): Promise<void> {
  const label = button.dataset["label"] ?? button.textContent ?? "";
  button.dataset["label"] = label;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Refused";
  }
  setTimeout(() => (button.textContent = label), 2000);
}
