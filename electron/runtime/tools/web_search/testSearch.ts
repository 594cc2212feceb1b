/** For tests: web_search with one provider's service played locally. */

import { startTestServer, type TestHandler, type TestServer } from "../../net/testServer.ts";
import type { ToolResult } from "../defineTool.ts";
import { makeTestWeb, type TestWeb } from "../web/testWeb.ts";
import { providerFixtures } from "./providerFixtures.ts";
import type { ProviderId } from "./searchTypes.ts";

/** Close them after each test. */
export const servers: TestServer[] = [];

export const ids = Object.keys(providerFixtures) as ProviderId[];

/** @param handle plays the service; absent: it gives its good answer */
export async function withService(
  id: ProviderId,
  handle?: TestHandler,
): Promise<{ web: TestWeb; server: TestServer }> {
  const fixture = providerFixtures[id];
  const good: TestHandler = (_request, response) => {
    const isText = typeof fixture.answer === "string";
    response.writeHead(200, { "content-type": isText ? "text/html" : "application/json" });
    response.end(isText ? fixture.answer : JSON.stringify(fixture.answer));
  };
  const server = await startTestServer(handle ?? good);
  servers.push(server);
  const web = makeTestWeb(new Map([[fixture.origin, server.url("", `${id}.test`)]]));
  Object.assign(web.settings.env, fixture.env);
  web.settings.config = { tools: { web: { search: { provider: id } } } };
  return { web, server };
}
export const search = (web: TestWeb, args: Record<string, unknown> = {}): Promise<ToolResult> =>
  web.call("web_search", { query: "潮汐 tides", ...args });
