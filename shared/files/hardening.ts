/** Where the file tools are stricter or saner than the reference (tools-files-web-media.md 1 to 4), each as a switch. */

import type { HardeningRule } from "../hardening/rules.ts";

export const filesHardening: readonly HardeningRule[] = [
  {
    id: "files.askOutsideWorkspace",
    reference: "write and edit change any file of the computer without asking unless workspaceOnly is set.",
    sallyport:
      "A change outside the agent's workspace waits for a person, who sees the real path and the difference.",
    source: "tools-files-web-media.md 1.4",
  },
  {
    id: "files.refuseBinary",
    reference: "read decodes any bytes as text, so a program or an archive fills the context with noise.",
    sallyport: "A file that is no text is refused, with its size and a way to look at it.",
    source: "tools-files-web-media.md 2",
  },
  {
    id: "files.seamlessPages",
    reference: "Joined pages of read carry an extra blank line at each page border.",
    sallyport: "Joined pages read exactly as the file does.",
    source: "tools-files-web-media.md 2",
  },
  {
    id: "files.sizeNotes",
    reference: "A cut result names lines and the next offset, not what it cost.",
    sallyport: "A cut result also names the size and the estimated tokens of what is shown and of the whole.",
    source: "tools-files-web-media.md 2",
  },
  {
    id: "files.writeEmpty",
    reference: "write refuses empty content and content of white space only.",
    sallyport: "write takes them, so an empty file can be made.",
    source: "tools-files-web-media.md 1.2",
  },
  {
    id: "files.editKeepsRest",
    reference:
      "When one edit matches only loosely, the whole file is rewritten in the loose form; mixed line endings become uniform.",
    sallyport: "Only the matched places change; everything else stays byte for byte.",
    source: "tools-files-web-media.md 4.1",
  },
  {
    id: "files.editExactFirst",
    reference: "A text that occurs exactly once still counts as ambiguous when a look-alike exists.",
    sallyport: "An exact match is counted exactly; look-alikes count only when there is no exact match.",
    source: "tools-files-web-media.md 4.1",
  },
  {
    id: "files.patchKeepsFile",
    reference:
      "A patch writes its own spelling of context lines and LF into files with CRLF, and loses a byte order mark.",
    sallyport:
      "Context lines stay as the file has them; new lines take the file's line ending; the mark stays.",
    source: "tools-files-web-media.md 4.2",
  },
  {
    id: "files.patchInsertsAtContext",
    reference: "A pure insertion goes to the end of the file even when it names a line to stand behind.",
    sallyport: "It goes behind the named line.",
    source: "tools-files-web-media.md 4.2",
  },
  {
    id: "files.patchAllOrNothing",
    reference: "A patch that fails at a later file leaves the earlier files changed.",
    sallyport: "The whole patch is worked out first; when a part fails, no file is changed.",
    source: "tools-files-web-media.md 4.2",
  },
];

/** All rules of this area on. */
export const allFilesHardening: ReadonlySet<string> = new Set(filesHardening.map((rule) => rule.id));
