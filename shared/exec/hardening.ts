/** Where exec is stricter or saner than the reference (spec/exec.md 14), each as a switch the evaluator asks for. */
import type { HardeningRule } from "../hardening/rules.ts";

export const execHardening: readonly HardeningRule[] = [
  {
    id: "exec.strictGrammar",
    reference:
      "Reads odd spaces, $'…', empty pipeline members, comments over several lines and shell keywords as plain words.",
    sallyport: "Treats everything a shell reads differently as not analysable, so it asks.",
    source: "exec.md 8.1",
  },
  {
    id: "exec.realPathMatch",
    reference:
      "Matches patterns against the path as written, `..` and links included, even when nothing is there.",
    sallyport: "Requires an executable file whose real path is listed as well as the path as written.",
    source: "exec.md 14.1",
  },
  {
    id: "exec.wildcardEntries",
    reference: "A wildcard entry covers shells, interpreters and programs that start others.",
    sallyport: "Such programs must be named by an entry of their own.",
    source: "exec.md 14.2",
  },
  {
    id: "exec.versionedInterpreters",
    reference:
      "Knows interpreters by a fixed list of names; python3.11 and node22 count as ordinary programs.",
    sallyport: "Recognises versioned and prefixed names as the interpreter they are.",
    source: "exec.md 14.3",
  },
  {
    id: "exec.strictInlineEval",
    reference: "Code given on the command line passes unless strictInlineEval is set.",
    sallyport: "Strict inline eval is on unless the config says false.",
    source: "exec.md 14.3",
  },
  {
    id: "exec.inlineEvalForms",
    reference:
      "Sees only exact flags: glued and clustered flags, --eval=, deno eval, code from stdin and shell -c go unseen.",
    sallyport: "Sees every one of these forms, and looks inside shell -c.",
    source: "exec.md 8.4",
  },
  {
    id: "exec.programEscapes",
    reference: "Does not look at arguments through which an ordinary program starts another one.",
    sallyport: "Asks for such arguments (git -c, tar --checkpoint-action, ssh -o ProxyCommand and the like).",
    source: "exec.md 8.3",
  },
  {
    id: "exec.keepWrappers",
    reference: "Drops wrappers such as timeout when it runs a satisfied command.",
    sallyport:
      "Runs the wrapper too; asks when the wrapper itself is not in a trusted directory or writes a file.",
    source: "exec.md 14.4",
  },
  {
    id: "exec.keepEmptyArguments",
    reference: "Drops empty arguments.",
    sallyport: "Keeps them.",
    source: "exec.md 14.4",
  },
  {
    id: "exec.heredocVerbatim",
    reference: "Rebuilds a satisfied command with a heredoc and loses its body.",
    sallyport: "Never counts a command with a heredoc as satisfied; after an approval it runs as written.",
    source: "exec.md 14.4",
  },
  {
    id: "exec.argvExecution",
    reference: "Hands rebuilt text to a shell.",
    sallyport: "Starts satisfied programs by argv, with pipes of its own and no shell.",
    source: "exec.md 14.11",
  },
  {
    id: "exec.windowsArgv",
    reference: "Refuses satisfied commands on Windows for want of a plan.",
    sallyport: "Starts them by argv when the program is an .exe or .com file.",
    source: "exec.md 14.9",
  },
  {
    id: "exec.assignmentWords",
    reference: "The entry `*` accepts a word that looks like an assignment as a program.",
    sallyport: "Such a word is never satisfied and never stored.",
    source: "exec.md 14.6",
  },
  {
    id: "exec.storeOnlySafe",
    reference:
      "Allow-always stores missing files, safe bins, versioned interpreters, and a chain only up to its first miss.",
    sallyport:
      "Stores all parts of a chain or none; never a shell, interpreter, dispatcher, multiplexer, safe bin or missing file.",
    source: "exec.md 14.6",
  },
  {
    id: "exec.safeBinInterpreters",
    reference: "A custom safe-bin profile can let an interpreter run.",
    sallyport: "Interpreters, shells and programs that start others are never safe bins.",
    source: "exec.md 9.3",
  },
  {
    id: "exec.safeBinPaths",
    reference: "Safe bins accept words such as a/b, which name files in sub-folders.",
    sallyport: "Words with a separator count as paths and are refused.",
    source: "exec.md 9.1",
  },
  {
    id: "exec.failClosed",
    reference: "A strict inline-eval or heredoc request may run when nobody answers.",
    sallyport: "Without a decision, inline eval, heredoc and obfuscated commands are denied.",
    source: "exec.md 14.7",
  },
  {
    id: "exec.invisibleText",
    reference: "Invisible characters and mixed alphabets do not matter to the decision.",
    sallyport: "They make the command ask.",
    source: "product A15",
  },
  {
    id: "exec.fileAskOff",
    reference: "ask=off in the approvals file wins over ask=always in the config.",
    sallyport: "always in the config holds.",
    source: "exec.md 5.1",
  },
  {
    id: "exec.unreadableApprovals",
    reference: "An approvals file that cannot be read counts as empty, and is overwritten.",
    sallyport: "It counts as deny until it is mended or removed.",
    source: "exec.md 14.8",
  },
  {
    id: "exec.invalidWords",
    reference: "A misspelt word in the approvals file is replaced by a wider level's value.",
    sallyport: "A misspelt word counts as the strictest one.",
    source: "exec.md 5.1",
  },
  {
    id: "exec.elevatedKeepsDeny",
    reference: "Elevated full skips everything, a deny in the approvals file included.",
    sallyport: "A deny in the approvals file holds.",
    source: "exec.md 14.10",
  },
  {
    id: "exec.elevatedAsks",
    reference: "A model may ask for elevated, or for a host outside its sandbox, without a person.",
    sallyport: "Both always ask, unless the operator set elevated full.",
    source: "product A21",
  },
  {
    id: "exec.sandboxKeepsDeny",
    reference: "A command in the sandbox is never refused, whatever security says anywhere.",
    sallyport:
      "A deny that somebody wrote, in the config or the approvals file, holds in the sandbox; an unreadable approvals file counts as one.",
    source: "exec.md 2",
  },
  {
    id: "exec.sandboxStillAsksForNetwork",
    reference: "A command in the sandbox never asks.",
    sallyport:
      "It asks when the sandbox shares this machine's network: services on loopback, the Gateway included, are then within its reach.",
    source: "exec.md 2",
  },
  {
    id: "exec.confirmBroadModes",
    reference: "security=full and ask=off take effect as found.",
    sallyport: "full without a person's confirmation acts as allowlist, and then ask=off as on-miss.",
    source: "product A18",
  },
  {
    id: "exec.obfuscationAnywhere",
    reference: "A pipe into a shell is seen only at the end of a line and by six shell names.",
    sallyport: "A pipe into any shell or interpreter, in any spelling and place, is seen.",
    source: "exec.md 8.5",
  },
  {
    id: "exec.selfApproval",
    reference: "Refuses `/approve …` behind a few wrappers.",
    sallyport:
      "Also refuses `sallyport|openclaw approvals resolve` in any form, nested shells and scripts included.",
    source: "exec.md 3.3",
  },
  {
    id: "exec.environmentAsks",
    reference: "A covered command runs with any variables that a call adds, as long as no list names them.",
    sallyport:
      "It asks unless every added variable is known to be harmless (locale, colours, time zone, size); nothing is stored for it.",
    source: "exec.md 14.5",
  },
  {
    id: "exec.sizeLimits",
    reference: "A text of any length and any number of commands is taken apart.",
    sallyport: "Above 64 KB of text or 512 simple commands it is not: the command asks as a whole.",
    source: "exec.md 8.1",
  },
  {
    id: "exec.inputToShells",
    reference:
      "An agent may type into any session of its own, also into a shell that started without a person.",
    sallyport:
      "Into a shell or an interpreter that ran without a person's word an agent types nothing: every line would be a command that nobody judges.",
    source: "exec.md 4",
  },
  {
    id: "exec.environmentNames",
    reference: "Lets some variables through that make common programs run code.",
    sallyport: "Refuses these as overrides too.",
    source: "exec.md 3.8",
  },
];

/** Preset `sallyport`: every rule on. */
export const allExecHardening: ReadonlySet<string> = new Set(execHardening.map((rule) => rule.id));
