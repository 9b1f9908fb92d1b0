/// <reference types="vite/client" />
declare module "landfall/*.wasm?url" {
  const url: string;
  export default url;
}
