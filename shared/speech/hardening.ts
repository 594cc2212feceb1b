/** Where speech is stricter or saner than the reference (tools-files-web-media.md 12), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const speechHardening: readonly HardeningRule[] = [
  {
    id: "speech.offlineFirst",
    reference:
      "Without any key every text goes to an online service, because the one that needs no key is always the last resort.",
    sallyport: "The speech engine of this computer comes before the online service without key.",
    source: "tools-files-web-media.md 12",
  },
  {
    id: "speech.onlineByConsent",
    reference:
      "When a provider fails, its text goes on to every other one, to the online service without key at last.",
    sallyport:
      "The online service without key gets a text only when a person chose or enabled it; when this computer was chosen to speak, no online service is asked after it.",
    source: "tools-files-web-media.md 12",
  },
  {
    id: "speech.readableText",
    reference:
      "Links, pictures, tables, HTML and fenced code are read aloud with their signs, and a multiplication sign between blanks is lost.",
    sallyport: "Labels, alternative texts and cells are read; code blocks, tags and addresses are not.",
    source: "tools-files-web-media.md 12",
  },
  {
    id: "speech.bareTag",
    reference:
      "`[[tts]]`, which prompt and documents name, is not recognised and stays in the visible reply.",
    sallyport: "It counts as a directive and is removed.",
    source: "tools-files-web-media.md 15",
  },
  {
    id: "speech.wholeCharacters",
    reference: "A long text is cut by code units, so half an emoji may be sent to the service.",
    sallyport: "It is cut between whole characters.",
    source: "tools-files-web-media.md 12",
  },
  {
    id: "speech.voiceByScript",
    reference:
      "Japanese kana and Korean keep the English voice; Japanese with many kanji gets a Chinese one.",
    sallyport: "Kana choose a Japanese voice, hangul a Korean one.",
    source: "tools-files-web-media.md 12",
  },
  {
    id: "speech.moreModes",
    reference: "`/tts` knows on and off; always, inbound and tagged, which the help text names, are refused.",
    sallyport: "All four modes can be chosen.",
    source: "supplement.md, commands",
  },
  {
    id: "speech.ownSwitch",
    reference: "`/tts on` in one conversation turns reading aloud on for all of them.",
    sallyport: "In a conversation it counts for that one; without one it counts for all.",
    source: "supplement.md, commands",
  },
];

/** All rules of this area on. */
export const allSpeechHardening: ReadonlySet<string> = new Set(speechHardening.map((rule) => rule.id));
