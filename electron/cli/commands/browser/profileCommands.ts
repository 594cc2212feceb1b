/** Commands on profiles: list, create, delete, reset, start, stop, take over. */

import { type Command, Option } from "commander";
import { AppError } from "../../../../shared/errors/index.ts";
import { type CliContext, print, reasonText } from "../../context.ts";
import { type Common, choice, make, onGateway, profileLine, withProfile } from "./common.ts";

export function profileCommands(context: CliContext): Command[] {
  const overview = (options: Common) =>
    onGateway(context, null, async (rpc) => {
      const found = await rpc.call("browser.profiles", {});
      const lines = found.profiles.map(profileLine);
      if (found.disabledReason !== null)
        lines.unshift(`Agents have no browser. ${reasonText(found.disabledReason)}`);
      lines.push(`Addresses: ${found.guard.mode}`);
      print(context, options.json, found, lines);
    });
  return [
    withProfile("status", "Say what a profile's browser does").action((options: Common) =>
      onGateway(context, null, async (rpc) => {
        const found = await rpc.call("browser.profiles", {});
        const view = found.profiles.find((each) =>
          options.profile === undefined ? each.isDefault : each.name === options.profile,
        );
        if (view === undefined)
          throw new AppError("NOT_FOUND", `There is no browser profile ${options.profile ?? ""}.`);
        if (view.state.kind !== "running") context.exitCode = 1;
        print(context, options.json, view, [profileLine(view)]);
      }),
    ),
    make("profiles", "List the profiles").action(overview),
    make("create-profile", "Add a profile to openclaw.json")
      .argument("<name>", "lower case letters, digits, hyphens")
      .option("--color <hex>", "colour of its window, for example #0066CC")
      .option("--cdp-url <url>", "attach to a browser there instead of starting one")
      .addOption(
        new Option("--driver <name>", "existing-session attaches to the person's own browser").choices([
          "openclaw",
          "existing-session",
        ]),
      )
      .option("--user-data-dir <path>", "with driver existing-session")
      .action(
        (
          name: string,
          options: {
            color?: string;
            cdpUrl?: string;
            driver?: "openclaw" | "existing-session";
            userDataDir?: string;
            json?: boolean;
          },
        ) =>
          onGateway(context, "add browser profiles", async (rpc) => {
            const { json, ...wanted } = options;
            const view = await rpc.call("browser.createProfile", { name, ...wanted });
            print(context, json, view, [profileLine(view)]);
          }),
      ),
    removal(
      context,
      "delete-profile",
      "Remove a profile and move its data to the trash",
      "browser.deleteProfile",
    ),
    removal(
      context,
      "reset-profile",
      "Move a profile's data (logins, history) to the trash",
      "browser.resetProfile",
    ),
    withProfile("start", "Start a profile's browser").action(({ profile, json }: Common) =>
      onGateway(context, null, async (rpc) => {
        const view = await rpc.call("browser.start", profile === undefined ? {} : { profile });
        print(context, json, view, [profileLine(view)]);
      }),
    ),
    withProfile("stop", "Stop a profile's browser").action(({ profile, json }: Common) =>
      onGateway(context, null, async (rpc) => {
        const done = await rpc.call("browser.stop", profile === undefined ? {} : { profile });
        print(context, json, done, [done.stopped ? "Stopped." : "It was not running."]);
      }),
    ),
    pausing(context, "take-over", "Keep agents from acting in a browser until it is given back", true),
    pausing(context, "give-back", "Let agents act in a browser again", false),
  ];
}

function removal(
  context: CliContext,
  name: string,
  about: string,
  method: "browser.deleteProfile" | "browser.resetProfile",
): Command {
  return make(name, about)
    .argument("<name>", "profile")
    .option("--yes", "do not ask")
    .action((profile: string, { yes, json }: { yes?: boolean; json?: boolean }) =>
      onGateway(context, "remove browser data", async (rpc) => {
        if (yes !== true) {
          if (!context.io.isInteractive) {
            throw new AppError(
              "INVALID_INPUT",
              `This moves all data of ${profile} to the trash. Say --yes to do it.`,
              {
                data: { usage: true },
              },
            );
          }
          const typed = await context.io.ask(
            `Type the profile's name to move its data to the trash (${profile}): `,
          );
          if (typed.trim() !== profile) throw new AppError("CANCELLED", "Nothing was changed.");
        }
        const done = await rpc.call(method, { name: profile });
        const where = done.movedTo === null ? "It had no data on disk." : `Its data is in ${done.movedTo}.`;
        print(context, json, done, [`${profile}: done. ${where}`]);
      }),
    );
}

function pausing(context: CliContext, name: string, about: string, paused: boolean): Command {
  return withProfile(name, about).action(({ profile, json }: Common) =>
    onGateway(context, "take browsers over", async (rpc) => {
      const view = await rpc.call("browser.pause", {
        ...choice({ ...(profile === undefined ? {} : { profile }) }),
        paused,
      });
      print(context, json, view, [profileLine(view)]);
    }),
  );
}
