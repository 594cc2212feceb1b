/** All search providers, in the order of the automatic choice. */

import type { SearchProvider } from "../searchTypes.ts";
import { brave } from "./brave.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { exa } from "./exa.ts";
import { firecrawl } from "./firecrawl.ts";
import { gemini } from "./gemini.ts";
import { grok } from "./grok.ts";
import { kimi } from "./kimi.ts";
import { perplexity } from "./perplexity.ts";
import { tavily } from "./tavily.ts";

export const searchProviders: readonly SearchProvider[] = [
  brave,
  gemini,
  grok,
  kimi,
  perplexity,
  firecrawl,
  exa,
  tavily,
  duckduckgo,
].sort((a, b) => a.order - b.order);
