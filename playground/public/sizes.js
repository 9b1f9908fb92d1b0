/* Sets the remembered sizes before the page is shown, so that nothing moves when `src/panes/dividers.ts`, which checks them, has arrived. */
try {
  const [outputs, manifests, lists] = JSON.parse(localStorage.getItem("landfall-sizes"));
  const { style } = document.documentElement;
  style.setProperty("--outputs", `${outputs}fr`);
  style.setProperty("--manifests", `${manifests - outputs}fr`);
  style.setProperty("--result", `${100 - manifests}fr`);
  if (lists) style.setProperty("--lists", `${lists}vh`);
} catch {
  // Nothing is stored.
}
