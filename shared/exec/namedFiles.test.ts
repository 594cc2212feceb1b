import { expect, test } from "vitest";
import { allExecHardening } from "./hardening.ts";
import { findNamedFiles } from "./namedFiles.ts";
import { createTestLookup } from "./testLookup.ts";
import type { AnalyzeOptions } from "./types.ts";

const lookup = createTestLookup(["/bin/foo", "/bin/sh", "/bin/python3", "/ws/run.sh", "/ws/dir/tool"], {
  "/ws/link": "/bin/foo",
});
const options: AnalyzeOptions = {
  platform: "linux",
  cwd: "/ws",
  env: { PATH: "/bin", HOME: "/home/me" },
  home: "/home/me",
  lookup: { ...lookup, isDirectory: (path) => path === "/ws/dir" },
  hardening: allExecHardening,
};
const pathsIn = (text: string) => findNamedFiles(text, options).map(({ path, role }) => `${role} ${path}`);

test.each([
  ["foo > out", ["program /bin/foo"]],
  ["./run.sh 2>&1", ["program /ws/run.sh"]],
  ["dir/tool>out", ["program /ws/dir/tool"]],
  ["(cd dir; ./link) &", ["program /ws/link"]],
  ["sh -e run.sh >> out", ["program /bin/sh", "script /ws/run.sh"]],
  ['"s"h r"un.s"h > x', ["program /bin/sh", "script /ws/run.sh"]],
  ["x=$(foo a) `./run.sh`", ["program /bin/foo", "program /ws/run.sh"]],
  ["cat run.sh > x", []],
  ["sh dir > x", ["program /bin/sh"]],
  ["__proto__ constructor > x", []],
])("%s names %j", (text, expected) => {
  expect(pathsIn(text)).toEqual(expected);
});

test("a bare name is kept with its file, a path is not looked up again", () => {
  expect(findNamedFiles("foo > x; ./link", options)).toEqual([
    { path: "/bin/foo", realPath: "/bin/foo", role: "program", name: "foo" },
    { path: "/ws/link", realPath: "/bin/foo", role: "program" },
  ]);
});

test("a very long text is bounded", () => {
  const text = `${Array.from({ length: 600 }, (_unused, index) => `w${index}`).join(" ")} foo > x`;
  expect(findNamedFiles(text, options)).toEqual([]);
});
