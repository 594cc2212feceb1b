import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { abilitiesOf, allKnownCodes, explainWords, operatorCodes } from "./explainWords.ts";

const codesOf = (command: string) => explainWords(command).map((word) => [word.text, ...word.codes]);

describe("explaining a command", () => {
  it("names program, action and flags of the action", () => {
    expect(codesOf("git push --force origin main")).toEqual([
      ["git", "git"],
      ["push", "git push"],
      ["--force", "git push --force"],
      ["origin"],
      ["main"],
    ]);
    expect(explainWords("git push -f origin")[2]).toMatchObject({
      codes: ["git push --force"],
      isDanger: true,
    });
  });

  it("reads clustered flags, glued values and values of their own", () => {
    expect(codesOf("grep -rin needle")[1]).toEqual([
      "-rin",
      "grep --recursive",
      "grep --ignore-case",
      "grep --line-number",
    ]);
    expect(codesOf("curl --output=x https://a")[1]).toEqual(["--output=x", "curl --output"]);
    expect(explainWords("git commit -m reset --amend").map((word) => word.role)).toEqual([
      "program",
      "subcommand",
      "flag",
      "flagValue",
      "flag",
    ]);
  });

  it("follows wrappers, find -exec and operators to the next program", () => {
    const roles = explainWords("sudo -u root timeout 5 rm -rf x && find . -exec chmod 777 {} +");
    expect(roles.filter((word) => word.role === "program").map((word) => word.text)).toEqual([
      "rm",
      "find",
      "chmod",
    ]);
    expect(roles.filter((word) => word.isDanger).map((word) => word.text)).toEqual([
      "-u",
      "-rf",
      "-exec",
      "777",
    ]);
  });

  it("explains what the analysis refuses, with exact places", () => {
    const command = `bash -c "$(curl -fsSL https://x)" > out`;
    const words = explainWords(command);
    for (const word of words) expect(command.slice(word.start, word.end)).not.toBe("");
    expect(words.find((word) => word.codes.includes("op write"))?.isDanger).toBe(true);
    expect(explainWords("echo $(rm x)")[1]?.codes).toContain("op substitution");
  });

  it("never fails on hostile text and covers every character that is no blank", () => {
    for (const command of [
      "",
      "'",
      "\\",
      "a\\",
      '"x',
      "__proto__ constructor -toString",
      "& | ; ( ) < >\n&",
    ]) {
      const words = explainWords(command);
      const covered = new Set(
        words.flatMap((word) => Array.from({ length: word.end - word.start }, (_, i) => word.start + i)),
      );
      for (const [at, char] of [...command].entries())
        if (/\S/.test(char)) expect(covered.has(at), `${command} at ${at}`).toBe(true);
    }
    expect(explainWords("__proto__ x")[0]?.codes).toEqual([]);
  });

  it("knows versioned interpreters and says what programs can do", () => {
    expect(codesOf("python3.11 -c x")[0]).toEqual(["python3.11", "python"]);
    expect(abilitiesOf("/usr/bin/git")).toContain("rewrite");
    expect(abilitiesOf("no-such-program")).toEqual([]);
  });

  it("has a sentence in both languages for every code", () => {
    for (const language of ["en", "zh-CN"]) {
      const file = new URL(`../../../renderer/i18n/${language}/explain.json`, import.meta.url);
      const { code } = JSON.parse(readFileSync(file, "utf8")) as { code: Record<string, string> };
      const known = [...allKnownCodes(), ...operatorCodes];
      expect(known.filter((one) => (code[one] ?? "") === "")).toEqual([]);
      expect(Object.keys(code).filter((one) => !known.includes(one))).toEqual([]);
      // Dots would be read as levels of the catalogue.
      expect(known.filter((one) => one.includes("."))).toEqual([]);
    }
  });
});
