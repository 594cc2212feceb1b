import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allExecHardening,
  analyzeCommand,
  describeGrantScope,
  type EvaluateExecInput,
  evaluateExec,
  type Grant,
  type GrantScope,
  grantDifference,
  proposeGrants,
  resolveExecPolicy,
  segmentsOf,
} from "./index.ts";
import { createTestLookup, testOptions } from "./testLookup.ts";

const links = { "/bin/list": "/usr/bin/multi", "/bin/erase": "/usr/bin/multi" };
const options = {
  ...testOptions(allExecHardening),
  lookup: createTestLookup(
    ["/bin/foo", "/bin/bar", "/bin/sh", "/usr/bin/timeout", "/usr/bin/git", "/usr/bin/npm", "/usr/bin/tar"],
    links,
  ),
};

function policy() {
  const resolved = resolveExecPolicy({
    approvals: { kind: "missing" },
    agentId: "main",
    isSandboxed: false,
    confirmed: { full: false, askOff: false },
    hardening: allExecHardening,
  });
  if (!resolved.ok) throw new Error(resolved.message);
  return resolved.policy;
}
const effective = policy();

function decide(command: string, grants: readonly Grant[], over: Partial<EvaluateExecInput> = {}) {
  return evaluateExec({
    ...options,
    command,
    agentId: "main",
    sessionKey: "s",
    policy: effective,
    allowlist: [],
    grants,
    nowMs: 1000,
    ...over,
  });
}

const toGrants = (scopes: readonly GrantScope[], more: Partial<Grant> = {}): Grant[] =>
  scopes.map((scope, index) => ({
    id: `g${index}`,
    scope,
    agentId: "main",
    sessionKey: "s",
    cwd: "/ws",
    createdAtMs: 0,
    expiresAtMs: 2000,
    createdBy: "person",
    ...more,
  }));

function proposals(command: string) {
  const proposed = proposeGrants(analyzeCommand(command, options), allExecHardening);
  return "proposals" in proposed ? proposed.proposals : [];
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
const plainWord = fc.stringMatching(/^[a-z][a-z0-9._/-]{0,8}$/).filter((word) => !word.includes(".."));
const anyWord = fc.oneof(
  plainWord,
  fc.constantFrom("--force", "-x", "../x", "/etc/passwd", ":release", "a b", "", "x=y", "é", "*"),
);
const commandWords = fc.record({
  program: fc.constantFrom("foo", "bar"),
  args: fc.array(anyWord, { maxLength: 5 }),
});
const textOf = ({ program, args }: { program: string; args: string[] }) =>
  [program, ...args.map(quote)].join(" ");

describe("a grant", () => {
  it("lets exactly its command through, whoever proposes which scope", () => {
    fc.assert(
      fc.property(commandWords, (words) => {
        const command = textOf(words);
        for (const proposal of proposals(command))
          expect(decide(command, toGrants(proposal.scopes)).outcome, proposal.label).toBe("allow");
      }),
    );
  });

  it("never matches a command that differs in something that its scope does not leave open", () => {
    fc.assert(
      fc.property(commandWords, commandWords, (granted, other) => {
        const [a, b] = [textOf(granted), textOf(other)];
        for (const proposal of proposals(a)) {
          if (decide(b, toGrants(proposal.scopes)).outcome !== "allow") continue;
          expect(other.program).toBe(granted.program);
          if (proposal.label === "program") continue;
          expect(other.args).toHaveLength(granted.args.length);
          const [scope] = proposal.scopes;
          const shape = scope?.kind === "argumentShape" ? scope.shape : granted.args;
          for (const [index, word] of other.args.entries()) {
            if (shape[index] !== null) {
              expect(word).toBe(granted.args[index]);
              continue;
            }
            expect(word).toMatch(/^[\p{L}\p{N}_]/u);
            expect(word).not.toMatch(/^-|\.\.|[:\s*=]/);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never matches with any other agent, session, folder, environment or time", () => {
    const others: Partial<EvaluateExecInput>[] = [
      { agentId: "other" },
      { sessionKey: "t" },
      { sessionKey: undefined },
      { cwd: "/ws/sub" },
      { envOverrides: { A: "1" } },
      { nowMs: 2000 },
      { nowMs: 1e15 },
    ];
    fc.assert(
      fc.property(commandWords, fc.constantFrom(...others), (words, over) => {
        const command = textOf(words);
        for (const proposal of proposals(command))
          expect(decide(command, toGrants(proposal.scopes), over).outcome).toBe("ask");
      }),
    );
  });

  it("never covers a longer command, an operator, a wrapper, a redirection or a substitution", () => {
    fc.assert(
      fc.property(
        commandWords,
        fc.constantFrom(
          (text: string) => `${text} && bar`,
          (text: string) => `${text} | bar`,
          (text: string) => `bar; ${text}`,
          (text: string) => `timeout 5 ${text}`,
          (text: string) => `sh -c ${quote(text)}`,
          (text: string) => `A=1 ${text}`,
          (text: string) => `${text} > out`,
          (text: string) => `${text} $(bar)`,
          (text: string) => `${text} &`,
        ),
        (words, wrap) => {
          const command = textOf({ ...words, program: "foo" });
          for (const proposal of proposals(command))
            expect(decide(wrap(command), toGrants(proposal.scopes)).outcome).not.toBe("allow");
        },
      ),
    );
  });

  it("is for the name that was called, when one file is many programs", () => {
    for (const proposal of proposals("list a b")) {
      expect(decide("list a b", toGrants(proposal.scopes)).outcome).toBe("allow");
      expect(decide("erase a b", toGrants(proposal.scopes)).outcome).toBe("ask");
    }
    const byFile = toGrants([{ kind: "program", realPath: "/usr/bin/multi" }]);
    expect(decide("erase a", byFile).outcome).toBe("ask");
  });

  it("of a program does not cover arguments that hand execution on", () => {
    const git = toGrants([{ kind: "program", realPath: "/usr/bin/git" }]);
    expect(decide("git status", git).outcome).toBe("allow");
    expect(decide("git -c core.pager=x log", git).outcome).toBe("ask");
  });

  it("that names a shell, dispatcher or runner counts for nothing, however it came into the file", () => {
    for (const [realPath, command] of [
      ["/bin/sh", "sh x.sh"],
      ["/usr/bin/timeout", "timeout 5 foo"],
      ["/usr/bin/npm", "npm test"],
    ] as const)
      expect(decide(command, toGrants([{ kind: "program", realPath }])).outcome, command).toBe("ask");
    const exact: GrantScope = {
      kind: "exactCommand",
      programs: [{ realPath: "/bin/sh", argv: ["sh", "x.sh"] }],
      operators: [],
    };
    expect(decide("sh x.sh", toGrants([exact])).outcome).toBe("ask");
  });
});

describe("what is proposed", () => {
  it("leaves open the last plain word alone, and never the first", () => {
    const shape = proposals("git push origin main").find((one) => one.label === "argumentShape");
    expect(shape?.scopes).toMatchObject([{ shape: ["push", "origin", null], name: "git" }]);
    expect(proposals("git status").map((one) => one.label)).toEqual(["exactCommand", "program"]);
  });

  it("is only the exact command for runners and for arguments that hand execution on", () => {
    expect(proposals("npm run build").map((one) => one.label)).toEqual(["exactCommand"]);
    expect(proposals("tar --to-command=x -xf a").map((one) => one.label)).toEqual(["exactCommand"]);
  });

  it("is nothing for words that a shell would expand: they would run literally the next time", () => {
    for (const command of ["foo *.ts", "foo $HOME", "foo ~/x", "foo {a,b}"])
      expect(proposeGrants(analyzeCommand(command, options), allExecHardening)).toEqual({
        withheld: "expands",
      });
  });

  it("leaves out parts that pass already, except from the exact command", () => {
    const analysis = analyzeCommand("foo a b && bar c", options);
    const proposed = proposeGrants(analysis, allExecHardening, new Set([1]));
    if (!("proposals" in proposed)) throw new Error(proposed.withheld);
    expect(proposed.proposals.map((one) => one.scopes.length)).toEqual([1, 1, 1]);
    expect(proposed.proposals[0]?.scopes[0]).toMatchObject({ operators: ["&&"] });
    expect(proposed.proposals[2]?.scopes).toMatchObject([{ realPath: "/bin/foo" }]);
  });
});

describe("a grant in words", () => {
  it("lists what is compared, with the hole", () => {
    const shape = proposals("git push origin main")[1]?.scopes[0];
    if (shape === undefined) throw new Error("no shape");
    expect(describeGrantScope(shape)).toEqual([
      { kind: "program", text: "/usr/bin/git" },
      { kind: "word", text: "push" },
      { kind: "word", text: "origin" },
      { kind: "hole", text: "" },
    ]);
  });

  it("names the word that keeps a similar command out", () => {
    const scopes = proposals("git push origin main")[1]?.scopes ?? [];
    const differ = (command: string) => {
      const found = grantDifference(scopes, analyzeCommand(command, options), options);
      return found === null ? null : [found.code, found.word];
    };
    expect(differ("git push --force origin main")).toEqual(["flag", "--force"]);
    expect(differ("git push origin :release")).toEqual(["notPlain", ":release"]);
    expect(differ("git -c core.pager=x push origin main")).toEqual(["escape", "-c"]);
    expect(differ("git push upstream main")?.[0]).toBe("word");
    expect(differ("git push origin main extra")).toEqual(["extraWord", "extra"]);
    expect(differ("git push origin")?.[0]).toBe("missingWord");
    expect(differ("timeout 5 git push origin main")).toEqual(["wrapper", "timeout"]);
    expect(differ("git push origin main && bar")).toEqual(["parts", "bar"]);
    expect(differ("foo push origin main")).toBeNull();
  });

  it("finds a difference for every related command that is not covered", () => {
    fc.assert(
      fc.property(commandWords, commandWords, (granted, other) => {
        for (const proposal of proposals(textOf(granted))) {
          const command = textOf({ ...other, program: granted.program });
          const analysis = analyzeCommand(command, options);
          if (segmentsOf(analysis).length === 0) continue;
          if (decide(command, toGrants(proposal.scopes)).outcome === "allow") continue;
          expect(grantDifference(proposal.scopes, analysis, options), command).not.toBeNull();
        }
      }),
    );
  });
});
