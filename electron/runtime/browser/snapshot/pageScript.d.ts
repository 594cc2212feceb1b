/** Code for pages, compiled to one text by electron/dev/build/pageScript.mjs. */
declare module "*?script" {
  const script: string;
  export default script;
}
