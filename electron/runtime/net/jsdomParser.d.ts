/** The light DOM that comes with Readability; its types do not mention it. */
declare module "@mozilla/readability/JSDOMParser.js" {
  import type { Readability } from "@mozilla/readability";

  export default class JSDOMParser {
    /** What was not well-formed; "" when all was. */
    errorState: string;
    parse(html: string, url?: string): ConstructorParameters<typeof Readability>[0];
  }
}
