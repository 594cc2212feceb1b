/** Commands on what browsers may reach. */

import { type Command, Option } from "commander";
import { AppError } from "../../../../shared/errors/index.ts";
import { type CliContext, print } from "../../context.ts";
import { safeLine } from "../../io.ts";
import { type Common, make, onGateway, withProfile } from "./common.ts";

export function guardCommands(context: CliContext): Command[] {
  return [
    withProfile("blocked", "Print the requests that the guard refused").action(({ profile, json }: Common) =>
      onGateway(context, null, async (rpc) => {
        const found = await rpc.call("browser.blocked", profile === undefined ? {} : { profile });
        const lines = found.blocked.map(({ atMs, what, url, message }) =>
          safeLine(`${new Date(atMs).toISOString()}  ${what}  ${url}  ${message}`),
        );
        print(context, json, found, lines.length === 0 ? ["Nothing was refused."] : lines);
      }),
    ),
    make(
      "explain",
      "Say whether a browser may go to an address, and which rule decides; exit code 1 when not",
    )
      .argument("<url>", "full address")
      .addOption(
        new Option("--preset <name>", "as the reference or as this product").choices([
          "reference",
          "sallyport",
        ]),
      )
      .action((url: string, { json, preset }: { json?: boolean; preset?: "reference" | "sallyport" }) =>
        onGateway(context, null, async (rpc) => {
          const verdict = await rpc.call("browser.guard.explain", {
            url,
            ...(preset === undefined ? {} : { preset }),
          });
          if (verdict.verdict === "blocked") context.exitCode = 1;
          print(context, json, verdict, [
            verdict.verdict === "allowed"
              ? "Allowed."
              : safeLine(`Refused (${verdict.kind}): ${verdict.message}`),
          ]);
        }),
      ),
    make("strict", "Refuse private addresses to the browsers, or allow them again; edits openclaw.json")
      .argument("<on|off>", "on refuses them")
      .action((word: string, { json }: { json?: boolean }) =>
        onGateway(context, "change what browsers may reach", async (rpc) => {
          if (word !== "on" && word !== "off") {
            throw new AppError("INVALID_INPUT", "Say on or off.", { data: { usage: true } });
          }
          const running = async () => {
            const { profiles } = await rpc.call("browser.profiles", {});
            return profiles.filter(({ state }) => state.kind === "running");
          };
          const before = await running();
          const guard = await rpc.call("browser.setStrict", { strict: word === "on" });
          // A browser that runs without the guard cannot be held later: it starts anew with the next call.
          const ended =
            before.length === 0
              ? ""
              : ` Browsers that ran otherwise start anew: ${before.map(({ name }) => name).join(", ")}; their tabs are closed.`;
          print(context, json, guard, [`Addresses: ${guard.mode}.${ended}`]);
        }),
      ),
  ];
}
