import { expect, it } from "vitest";
import { commandText } from "./commandText.ts";

it.each([
  [["node", "/srv/sallyport/electron/cli/bin.mjs", "mcp"], "node /srv/sallyport/electron/cli/bin.mjs mcp"],
  [["/opt/My Apps/it's/sallyport"], `'/opt/My Apps/it'"'"'s/sallyport'`],
  [["/srv/$(id)/x"], "'/srv/$(id)/x'"],
  [
    ["C:\\Program Files\\Sallyport\\sallyport.exe", "mcp"],
    '"C:\\Program Files\\Sallyport\\sallyport.exe" mcp',
  ],
  [["C:\\Sallyport\\sallyport.exe"], "C:\\Sallyport\\sallyport.exe"],
  [[""], "''"],
])("writes %j so that a shell reads the same words", (words, text) => {
  expect(commandText(words)).toBe(text);
});
