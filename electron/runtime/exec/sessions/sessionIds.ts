/** Names sessions with words that a person can read aloud. */

import { randomInt } from "node:crypto";

const adjectives =
  "amber ample apt bold brave brisk bright broad calm candid clear cosy crisp deft early eager easy even fair firm fleet fond fresh gentle glad golden grand hardy hazel jolly keen kind lively loyal lucid mellow mild modest neat nimble noble novel patient placid plain polite proud quick quiet rapid ready rosy round sage sandy serene sharp silent silver sleek smooth snug sober solid spry stable steady still stout sturdy subtle sunny swift tidy tranquil trim true upbeat vivid warm wise witty young".split(
    " ",
  );

const nouns =
  "acorn alder anchor arbor aspen badger bay beacon birch bison breeze bridge brook canyon cedar cliff clover cloud comet coral cove crane creek dale dawn delta dune eagle ember falcon fern field finch fjord forest fox garden glade grove harbor hare hawk heron hill ibis inlet iris island ivy jay juniper lagoon lake lantern lark laurel linden lotus lynx maple marsh meadow mesa moss oak oasis orchard otter owl peak pebble pier pine plover pond poplar prairie quarry rapids raven reef ridge river robin sable shore sparrow spring spruce summit swan thicket thistle tide trail valley willow wren".split(
    " ",
  );

const suffixLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

export type PickIndex = (length: number) => number;

function pick(words: readonly string[], pickIndex: PickIndex): string {
  return words[pickIndex(words.length)] ?? "plain";
}

/**
 * `adjective-noun`, then the same with -2 to -12, then three words, then three words with a random suffix.
 * @param isTaken must be true for running and retained sessions
 * @param pickIndex a number from 0 to length-1; random by default
 * @see exec spec §4
 */
export function createSessionId(isTaken: (id: string) => boolean, pickIndex: PickIndex = randomInt): string {
  const pair = `${pick(adjectives, pickIndex)}-${pick(nouns, pickIndex)}`;
  if (!isTaken(pair)) return pair;
  for (let suffix = 2; suffix <= 12; suffix += 1) {
    const numbered = `${pair}-${suffix}`;
    if (!isTaken(numbered)) return numbered;
  }
  const triple = `${pick(adjectives, pickIndex)}-${pick(adjectives, pickIndex)}-${pick(nouns, pickIndex)}`;
  if (!isTaken(triple)) return triple;
  for (;;) {
    // Always random: a fixed picker could otherwise never leave this loop.
    const letters = Array.from({ length: 3 }, () => suffixLetters[randomInt(suffixLetters.length)] ?? "x");
    const suffixed = `${triple}-${letters.join("")}`;
    if (!isTaken(suffixed)) return suffixed;
  }
}
