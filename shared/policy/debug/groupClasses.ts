/** Groups, channels and senders that a config can tell apart, by the group policy that they lead to. */

import type { CompiledPolicy } from "../compile.ts";
import { asRecord, recordEntries } from "../configRecord.ts";
import { chooseGroupPolicy } from "../groupPolicy.ts";
import { normalizeKey } from "../names.ts";
import type { PolicyContext } from "../types.ts";
import type { Choice, ContextFocus } from "./contextClasses.ts";
import { groupCandidates } from "./groupCandidates.ts";
import type { Steps } from "./steps.ts";

/** Stands for every channel that the config does not mention. */
const otherChannel = "any-other-channel";

/** One choice per policy, plus the channels that pre-filters look at. */
export function* groupChoices(compiled: CompiledPolicy, focus: ContextFocus): Steps<Choice[]> {
  const known = new Map<string, Choice>();
  const add = (choice: Choice) => {
    const key = groupSignature(compiled, focus, choice.context);
    if (!known.has(key)) known.set(key, choice);
  };
  for (const choice of placesOutsideOfConfig(focus)) add(choice);
  for (const [name, settings] of recordEntries(compiled.config.channels)) {
    if (asRecord(settings) === undefined) continue;
    for (const { label, context } of groupCandidates(name, settings, focus)) {
      yield;
      add({ label: `${name} ${label}`, context: { channel: name, ...context } });
    }
  }
  return withDistinctLabels([...known.values()]);
}

function groupSignature(compiled: CompiledPolicy, focus: ContextFocus, context: PolicyContext): string {
  const provider = normalizeKey(context.channel);
  const focused = [
    focus.channel !== undefined && provider === normalizeKey(focus.channel),
    focus.groupId !== undefined && context.groupId === focus.groupId,
    focus.senderId !== undefined && context.senderId === focus.senderId,
  ];
  const special = provider === "voice" || provider === "node" ? provider : "";
  return JSON.stringify([chooseGroupPolicy(compiled.config, context)?.path ?? null, special, ...focused]);
}

/** Direct chats and, where a question names a channel, group or sender, those: no config has to mention them. */
function placesOutsideOfConfig({ channel, groupId, senderId }: ContextFocus): Choice[] {
  const places: Choice[] = [
    { label: "direct", context: {} },
    { label: "direct (voice)", context: { channel: "voice" } },
    { label: "direct (node)", context: { channel: "node" } },
  ];
  if (channel !== undefined) places.push({ label: `${channel} direct`, context: { channel } });
  if (groupId !== undefined) {
    const where = channel ?? otherChannel;
    places.push({ label: `${where} ${groupId}`, context: { channel: where, groupId } });
  }
  if (senderId === undefined) return places;
  return [
    ...places,
    ...places.map(({ label, context }) => ({
      label: `${label} from ${senderId}`,
      context: { ...context, senderId },
    })),
  ];
}

/** Labels that several values share get the values that make them differ. */
function withDistinctLabels(choices: readonly Choice[]): Choice[] {
  const counts = new Map<string, number>();
  for (const { label } of choices) counts.set(label, (counts.get(label) ?? 0) + 1);
  return choices.map((choice) =>
    counts.get(choice.label) === 1
      ? choice
      : { ...choice, label: `${choice.label} (${contextWords(choice.context)})` },
  );
}

function contextWords(context: PolicyContext): string {
  return Object.entries(context)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(" ");
}
