/** Programs for files and text: what they can do, and the words that matter. */

import type { ProgramKnowledge } from "./knowledge.ts";

export const fileAndTextPrograms: readonly ProgramKnowledge[] = [
  {
    name: "rm",
    can: ["delete"],
    words: ["-r,-R,--recursive!", "-f,--force!", "-rf,-fr!", "-i", "--no-preserve-root!"],
  },
  {
    name: "rmdir",
    can: ["delete"],
    words: ["-p,--parents"],
  },
  {
    name: "cp",
    can: ["overwrite"],
    words: ["-r,-R,--recursive", "-a,--archive", "-f,--force!", "-n,--no-clobber", "-i,--interactive"],
  },
  {
    name: "mv",
    can: ["overwrite", "delete"],
    words: ["-f,--force!", "-n,--no-clobber", "-i,--interactive"],
  },
  {
    name: "ln",
    can: ["overwrite"],
    words: ["-s,--symbolic", "-f,--force!"],
  },
  {
    name: "mkdir",
    can: ["overwrite"],
    words: ["-p,--parents"],
  },
  {
    name: "touch",
    can: ["overwrite"],
    words: [],
  },
  {
    name: "cat",
    can: [],
    words: ["-n,--number"],
  },
  {
    name: "head",
    can: [],
    words: ["-n,--lines=", "-c,--bytes="],
  },
  {
    name: "tail",
    can: [],
    words: ["-f,--follow", "-n,--lines="],
  },
  {
    name: "ls",
    can: [],
    words: ["-l", "-a,--all", "-la,-al", "-R,--recursive"],
  },
  {
    name: "echo",
    can: [],
    words: ["-n"],
  },
  {
    name: "printf",
    can: [],
    words: [],
  },
  {
    name: "tar",
    can: ["overwrite", "delete", "runCode"],
    words: [
      "-c,--create",
      "-x,--extract!",
      "-t,--list",
      "-f,--file=",
      "-z,--gzip",
      "-C,--directory=",
      "-xf,-xzf,-xvf,-xzvf,xf,xzf,xvf,xzvf=!",
      "-cf,-czf,-czvf,cf,czf,czvf=",
      "--checkpoint-action=!",
      "--to-command=!",
      "-I,--use-compress-program=!",
      "-P,--absolute-names!",
      "--remove-files!",
    ],
  },
  {
    name: "gzip",
    aliases: ["gunzip"],
    can: ["overwrite"],
    words: ["-d,--decompress", "-k,--keep", "-f,--force!"],
  },
  {
    name: "unzip",
    can: ["overwrite"],
    words: ["-o!", "-d=", "-l"],
  },
  {
    name: "zip",
    can: ["overwrite", "delete"],
    words: ["-r", "-m!"],
  },
  {
    name: "find",
    can: ["delete", "runCode"],
    words: ["-name=", "-type=", "-mtime=", "-size=", "-delete!", "-exec!", "-execdir!", "-ok!", "-fprint=!"],
  },
  {
    name: "xargs",
    can: ["runCode"],
    words: ["-n,--max-args=", "-I=", "-0,--null", "-P,--max-procs="],
  },
  {
    name: "chmod",
    can: ["changeRights"],
    words: ["-R,--recursive!", "777!", "+x!"],
  },
  {
    name: "chown",
    aliases: ["chgrp"],
    can: ["changeRights"],
    words: ["-R,--recursive!"],
  },
  {
    name: "sed",
    aliases: ["gsed"],
    can: ["overwrite", "runCode"],
    words: ["-i,--in-place!", "-e,--expression=", "-n,--quiet", "-E,-r,--regexp-extended", "-f,--file=!"],
  },
  {
    name: "awk",
    aliases: ["gawk", "mawk", "nawk"],
    can: ["runCode", "overwrite"],
    words: ["-F=", "-v=", "-f=!"],
  },
  {
    name: "grep",
    aliases: ["egrep", "fgrep", "rg"],
    can: [],
    words: [
      "-r,-R,--recursive",
      "-i,--ignore-case",
      "-n,--line-number",
      "-v,--invert-match",
      "-l,--files-with-matches",
      "-E,--extended-regexp",
      "-A,--after-context=",
      "-e,--regexp=",
      "--pre=!",
    ],
  },
  {
    name: "sort",
    can: ["overwrite"],
    words: ["-o,--output=!", "-n,--numeric-sort", "-r,--reverse", "-u,--unique"],
  },
  {
    name: "uniq",
    can: [],
    words: ["-c,--count"],
  },
  {
    name: "wc",
    can: [],
    words: ["-l,--lines"],
  },
  {
    name: "cut",
    can: [],
    words: ["-d,--delimiter=", "-f,--fields="],
  },
  {
    name: "tr",
    can: [],
    words: ["-d,--delete"],
  },
  {
    name: "tee",
    can: ["overwrite"],
    words: ["-a,--append"],
  },
  {
    name: "jq",
    can: [],
    words: ["-r,--raw-output"],
  },
  {
    name: "truncate",
    aliases: ["shred"],
    can: ["overwrite", "delete"],
    words: ["-s,--size=!", "-u!"],
  },
  {
    name: "diff",
    aliases: ["cmp"],
    can: [],
    words: ["-u,--unified", "-r,--recursive"],
  },
  {
    name: "base64",
    can: [],
    words: ["-d,--decode"],
  },
];
