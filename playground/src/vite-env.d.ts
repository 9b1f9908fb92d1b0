/// <reference types="vite/client" />
declare module "landfall/*.wasm?url" {
  const url: string;
  export default url;
}

declare module "virtual:first-answer" {
  const answer: import("landfall").Explanation;
  export default answer;
}
