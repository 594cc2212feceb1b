import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { isPeerBelowExec } from "./execAncestry.ts";

const children: ChildProcess[] = [];
const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It ended when its connection was closed.
    }
  }
  for (const server of servers.splice(0)) server.close();
});

/** Starts a program that connects to a listener of ours. @returns the ports of the accepted socket */
async function peerOf(
  command: (port: number) => string[],
  env: Record<string, string>,
): Promise<{ localPort: number; remotePort: number }> {
  let accept: (socket: Socket) => void = () => {};
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  const server = createServer((socket) => accept(socket));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const [file = "", ...args] = command(address.port);
  children.push(
    spawn(file, args, {
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin", ...env },
      stdio: "ignore",
      detached: true,
    }),
  );
  const socket = await accepted;
  sockets.push(socket);
  const { localPort, remotePort } = socket;
  if (localPort === undefined || remotePort === undefined) throw new Error("no ports");
  return { localPort, remotePort };
}

const connect = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port}; read -u 3 line`;
const marked = { OPENCLAW_SHELL: "exec" };

describe.runIf(process.platform === "linux")("a loopback connection", () => {
  it("of a command that exec started is traced to it", async () => {
    const peer = await peerOf((port) => ["bash", "-c", connect(port)], marked);
    expect(await isPeerBelowExec(peer)).toBe(true);
  });

  it("of a descendant in a session of its own with a cleared environment is traced too", async () => {
    const peer = await peerOf(
      (port) => ["bash", "-c", `env -i setsid bash -c '${connect(port)}'; true`],
      marked,
    );
    expect(await isPeerBelowExec(peer)).toBe(true);
  });

  it("of an orphan in a sandbox is traced by its first process, whatever it cleared", async () => {
    const peer = await peerOf(
      (port) => [
        ...["bwrap", "--unshare-user", "--unshare-pid", "--die-with-parent", "--new-session", "--clearenv"],
        ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/bash", "-c"],
        `(setsid bash -c '${connect(port)}' &); exec sleep 60`,
      ],
      marked,
    );
    expect(await isPeerBelowExec(peer)).toBe(true);
  });

  it("of a program that exec did not start is not, while a command of an agent runs beside it", async () => {
    children.push(spawn("sleep", ["60"], { env: marked, stdio: "ignore", detached: true }));
    const peer = await peerOf((port) => ["bash", "-c", connect(port)], {});
    expect(await isPeerBelowExec(peer)).toBe(false);
  });
});
