/**
 * Times the pipeline of an installed OpenClaw on a work of ours. Run by `policyReference.bench.ts` with a Node that the
 * package accepts: `node policyReference.mjs <folder>`, the work as JSON on standard input, the times as JSON on
 * standard output. It calls functions that the package exports, by their names; nothing of it is kept here.
 */
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * @typedef {object} Work
 * @property {Record<string, unknown>} config
 * @property {{ agentId: string, provider: string, model: string, channel: string, groupId: string, subagentDepth: number }} context
 * @property {{ name: string, pluginId?: string }[]} tools in the order in which they enter
 * @property {number} budgetMs
 */

const wanted = [
  "resolveEffectiveToolPolicy",
  "resolveGroupToolPolicy",
  "resolveToolProfilePolicy",
  "mergeAlsoAllowPolicy",
  "resolveSandboxToolPolicyForAgent",
  "resolveSubagentToolPolicy",
  "buildDefaultToolPolicyPipelineSteps",
  "applyToolPolicyPipeline",
];

/** Names of modules and exports differ from build to build; the functions keep theirs. */
async function load(folder) {
  const dist = path.join(realpathSync(folder), "dist");
  const found = new Map();
  for (const file of readdirSync(dist).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(path.join(dist, file), "utf8");
    for (const name of wanted) {
      if (found.has(name) || !text.includes(`function ${name}(`)) continue;
      const alias = new RegExp(`\\b${name} as ([\\w$]+)[,\\s}]`).exec(
        text.slice(text.lastIndexOf("export {")),
      )?.[1];
      if (alias !== undefined) found.set(name, { file, alias });
    }
  }
  const missing = wanted.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new Error(`${folder} does not export ${missing.join(", ")}: is it 2026.3.31?`);
  const entries = [...found].map(async ([name, { file, alias }]) => {
    const module = await import(pathToFileURL(path.join(dist, file)).href);
    return [name, module[alias]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What one turn asks for: the policies of the context resolved, and the tools through all nine stages. */
function turnOf(peer, { config, context, tools }) {
  const owners = new Map(
    tools.filter((tool) => tool.pluginId !== undefined).map((tool) => [tool.name, tool]),
  );
  const toolMeta = (tool) => {
    const owner = owners.get(tool.name);
    return owner === undefined ? undefined : { pluginId: owner.pluginId };
  };
  const entering = tools.map(({ name }) => ({ name }));
  const resolve = () => {
    const policies = peer.resolveEffectiveToolPolicy({
      config,
      agentId: context.agentId,
      modelProvider: context.provider,
      modelId: context.model,
    });
    const profilePolicy = peer.mergeAlsoAllowPolicy(
      peer.resolveToolProfilePolicy(policies.profile),
      policies.profileAlsoAllow,
    );
    const providerProfilePolicy = peer.mergeAlsoAllowPolicy(
      peer.resolveToolProfilePolicy(policies.providerProfile),
      policies.providerProfileAlsoAllow,
    );
    const groupPolicy = peer.resolveGroupToolPolicy({
      config,
      messageProvider: context.channel,
      groupId: context.groupId,
    });
    const steps = peer.buildDefaultToolPolicyPipelineSteps({
      ...policies,
      profilePolicy,
      providerProfilePolicy,
      groupPolicy,
    });
    const sandbox = peer.resolveSandboxToolPolicyForAgent(config, context.agentId);
    const subagent = peer.resolveSubagentToolPolicy(config, context.subagentDepth);
    return [
      ...steps,
      { policy: sandbox, label: "sandbox tools.allow" },
      { policy: subagent, label: "subagent tools.allow" },
    ];
  };
  const apply = (steps) => peer.applyToolPolicyPipeline({ tools: entering, toolMeta, warn: () => {}, steps });
  const kept = resolve();
  return { turn: () => apply(resolve()), pipelineAlone: () => apply(kept) };
}

/** As in policy.bench.ts: batches after a warm-up, the lowest tenth counts. */
function timeNs(work, budgetMs) {
  const until = performance.now() + budgetMs / 4;
  const startedAtMs = performance.now();
  let calls = 0;
  do {
    work();
    calls += 1;
  } while (performance.now() < until);
  const batch = Math.max(1, Math.ceil((0.5 * calls) / (performance.now() - startedAtMs)));
  const samples = [];
  const end = performance.now() + budgetMs;
  do {
    const before = performance.now();
    for (let i = 0; i < batch; i += 1) work();
    samples.push(((performance.now() - before) / batch) * 1e6);
  } while (performance.now() < end);
  samples.sort((a, b) => a - b);
  return samples[Math.floor(samples.length / 10)];
}

const work = JSON.parse(readFileSync(0, "utf8"));
const { turn, pipelineAlone } = turnOf(await load(process.argv[2]), work);
const answer = {
  tools: turn().map((tool) => tool.name),
  turnNs: timeNs(turn, work.budgetMs),
  pipelineNs: timeNs(pipelineAlone, work.budgetMs),
};
process.stdout.write(`\nreference: ${JSON.stringify(answer)}\n`, () => process.exit(0));
