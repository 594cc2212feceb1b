/** `sallyport configure`: sets up a part of the product step by step, or in one go for scripts. */

import { Command } from "commander";
import type { KeyService } from "../../../shared/contract/index.ts";
import { AppError, messageOf } from "../../../shared/errors/index.ts";
import { type Access, openAccess } from "../access.ts";
import { type CliContext, print, reasonText } from "../context.ts";
import { safeText } from "../io.ts";
import { refuseSelfApproval } from "../selfApproval.ts";

interface Options {
  section: string;
  provider?: string;
  keyStdin?: boolean;
  test?: boolean;
  json?: boolean;
}

/** Works without a key, so it is no service of the list. */
const keyless = "duckduckgo";

export function configureCommand(context: CliContext): Command {
  return new Command("configure")
    .description("Set up web search: choose the provider, store its key, test it")
    .requiredOption("--section <name>", "what to set up; there is: web")
    .option(
      "--provider <name>",
      "brave, exa, firecrawl, gemini, grok, kimi, perplexity, tavily or duckduckgo",
    )
    .option("--key-stdin", "read the key from standard input")
    .option("--no-test", "do not send a test request")
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      if (options.section !== "web") {
        throw new AppError("INVALID_INPUT", `There is no section ${options.section}. There is: web.`, {
          data: { usage: true },
        });
      }
      refuseSelfApproval(context.io.env, "change the config or store keys");
      const access = await openAccess(context.io, context.version);
      try {
        await configureWeb(context, access, options);
      } finally {
        await access.close();
      }
    });
}

async function configureWeb(context: CliContext, access: Access, options: Options): Promise<void> {
  const { io } = context;
  const view = await access.rpc.call("secrets.list", {});
  const services = view.services.filter(({ id }) => id.startsWith("search."));
  const names = [...services.map(({ id }) => id.slice("search.".length)), keyless];
  const provider = (options.provider ?? (await askProvider(context, services, names))).trim().toLowerCase();
  if (!names.includes(provider)) {
    throw new AppError(
      "INVALID_INPUT",
      `There is no search provider ${provider}. There are: ${names.join(", ")}.`,
      { data: { usage: true } },
    );
  }
  const service = services.find(({ id }) => id === `search.${provider}`);
  const lines: string[] = [];
  let isStored = false;
  if (service !== undefined) {
    const key = await keyFor(context, service, options.keyStdin === true);
    if (key !== null) {
      const saved = await access.rpc.call("secrets.set", { name: service.name, value: key });
      isStored = true;
      lines.push(
        saved.protection.kind === "keyring"
          ? `Stored as ${service.name}, sealed by ${saved.protection.backend}.`
          : `Stored as ${service.name} in ${saved.path}, readable by you alone. This program has no keyring to seal it with.`,
      );
    } else if (service.state.kind === "missing") {
      throw new AppError(
        "INVALID_INPUT",
        `${service.label} needs a key (${service.docs}). Give it with --key-stdin, or set ${service.name}.`,
      );
    }
  }
  const set = async (path: string, value: unknown) => {
    try {
      await access.rpc.call("config.setPath", { path, value });
    } catch (cause) {
      if (!isStored) throw cause;
      throw new AppError("UNAVAILABLE", `The key was stored, but not used yet: ${messageOf(cause)}`, {
        cause,
      });
    }
  };
  // An entry that does not say so counts as switched off, and the tool would be gone.
  if (service?.pluginId != null) await set(`plugins.entries.${service.pluginId}.enabled`, true);
  await set("tools.web.search.provider", provider);
  const { sections } = await access.rpc.call("tools.list", {});
  const tool = sections.flatMap(({ tools }) => tools).find(({ name }) => name === "web_search");
  if (tool?.presence.kind === "absent") {
    context.exitCode = 1;
    lines.push(
      `web_search is still absent. ${reasonText(tool.presence.reason)} \`sallyport policy why web_search\` says more.`,
    );
  }
  lines.push(`web_search uses ${service?.label ?? "DuckDuckGo"}.`);
  let test: { ok: boolean; message: string } | null = null;
  if (options.test !== false) {
    io.stderr("Sending one test request …\n");
    test = await access.rpc.call("secrets.test", { service: `search.${provider}` });
    lines.push(safeText(test.ok ? `Test: ${test.message}` : `Test failed: ${test.message}`));
    if (!test.ok) {
      context.exitCode = 1;
      lines.push("What was set stays set; run the command again with another key or provider.");
    }
  }
  print(context, options.json, { provider, keyStored: isStored, test }, lines);
}

async function askProvider(context: CliContext, services: KeyService[], names: string[]): Promise<string> {
  const { io } = context;
  if (!io.isInteractive) {
    throw new AppError("INVALID_INPUT", "Name the provider with --provider, or run this in a terminal.", {
      data: { usage: true },
    });
  }
  io.stderr("Search providers:\n");
  for (const { id, label, state } of services) {
    io.stderr(`  ${id.slice("search.".length).padEnd(12)} ${label}: ${stateText(state)}\n`);
  }
  io.stderr(`  ${keyless.padEnd(12)} DuckDuckGo: needs no key\n`);
  return io.ask(`Which one (${names.join(", ")})? `);
}

/** @returns null to go on with the key that is there */
async function keyFor(context: CliContext, service: KeyService, fromStdin: boolean): Promise<string | null> {
  const { io } = context;
  if (fromStdin) return (await io.readStdin()).trim();
  if (!io.isInteractive) return null;
  const has = service.state.kind !== "missing";
  const question = has
    ? `New key for ${service.label} (empty keeps the one from ${stateText(service.state)}): `
    : `Key for ${service.label} (from ${service.docs}): `;
  const answer = (await io.askSecret(question)).trim();
  return answer === "" ? null : answer;
}

function stateText(state: KeyService["state"]): string {
  switch (state.kind) {
    case "missing":
      return "no key yet";
    case "config":
      return `key in the config (${state.path})`;
    case "environment":
      return `key in the environment (${state.variable})`;
    case "stored":
      return `key stored (${state.variable})`;
  }
}
