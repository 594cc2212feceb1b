/** Paths as a sandboxed session writes them, to the folders of this machine that its sandbox shows. */

import path, { posix } from "node:path";
import { cleanPath } from "../../../../shared/files/index.ts";
import { guardWorkspace, isWithin, type LocateOptions, locate, type Target } from "./locate.ts";
import { fileProblem } from "./problems.ts";

/** What of this machine a sandbox sees; the workspace is the first mount. */
export interface SandboxView {
  /** Absolute path of the workspace inside. */
  workdir: string;
  mounts: readonly { source: string; target: string; isWritable: boolean }[];
  /** Absolute paths inside where the sandbox shows an empty folder instead of what the mount would. */
  covered: readonly string[];
}

/**
 * A sandboxed session is always held to what its sandbox shows: links that lead out of a mount, hard links, and writes
 * to read-only mounts are refused, whatever the settings of the file tools say.
 * @param given relative to the workspace inside, or absolute inside; with `isExact` a path of this machine
 * @throws AppError path_escape, symlinked_parent, no_access
 */
export async function locateInSandbox(
  given: string,
  view: SandboxView,
  access: "read" | "write" | "delete",
  options: Pick<LocateOptions, "isLinkItself" | "isExact">,
): Promise<Target> {
  const found = options.isExact === true ? bySource(given, view) : byTarget(given, view);
  if (found === null) throw notShown(given, view);
  const { mount, onMachine } = found;
  const inside = posix.join(mount.target, relativeInside(mount, onMachine));
  // Messages name the path as the session knows it.
  const shown = options.isExact === true ? inside : given;
  if (access !== "read" && !mount.isWritable) {
    throw fileProblem(
      "no_access",
      `${shown} lies below ${mount.target}, which this sandbox may only read. Write below ${view.workdir} instead.`,
      { data: { path: shown } },
    );
  }
  const target = await locate(onMachine, {
    workspace: mount.source,
    home: mount.source,
    isLinkItself: options.isLinkItself === true,
    isExact: true,
    shownAs: shown,
  });
  // The real path of this machine would be a message out of the sandbox, so links are named by what they are.
  const within = posix.join(mount.target, relativeInside(mount, target.realPath));
  guardWorkspace({ ...target, workspace: mount.target }, access, target.isInside ? within : "there");
  // By the real path too: a link would lead around the cover.
  if (view.covered.some((covered) => isBelow(covered, inside) || isBelow(covered, within)))
    throw notShown(shown, view);
  return target;
}

function notShown(path: string, view: SandboxView): Error {
  const shown = view.mounts.map((mount) => mount.target).join(", ");
  return fileProblem(
    "path_escape",
    `${path} is not part of this session's sandbox. Its files are below ${shown}; use a path there.`,
    { data: { path } },
  );
}

function relativeInside(mount: SandboxView["mounts"][number], onMachine: string): string {
  return path.relative(mount.source, onMachine).split(path.sep).join("/");
}

function isBelow(folder: string, inside: string): boolean {
  return inside === folder || inside.startsWith(`${folder}/`);
}

type Found = { mount: SandboxView["mounts"][number]; onMachine: string };

function byTarget(given: string, view: SandboxView): Found | null {
  const plain = cleanPath(given.startsWith("file://") ? given.slice("file://".length) : given, view.workdir);
  const inside = posix.resolve(view.workdir, plain);
  // The longest target wins: one mount may stand inside another.
  const [mount] = view.mounts
    .filter(({ target }) => isBelow(target, inside))
    .sort((a, b) => b.target.length - a.target.length);
  if (mount === undefined) return null;
  return { mount, onMachine: path.join(mount.source, posix.relative(mount.target, inside)) };
}

function bySource(onMachine: string, view: SandboxView): Found | null {
  const [mount] = view.mounts
    .filter(({ source }) => isWithin(source, onMachine))
    .sort((a, b) => b.source.length - a.source.length);
  return mount === undefined ? null : { mount, onMachine };
}
