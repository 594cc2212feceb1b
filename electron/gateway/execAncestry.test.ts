import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { objectionTo, tracePeer } from "./execAncestry.ts";

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
    expect(await tracePeer(peer)).toBe("exec");
  });

  it("of a descendant in a session of its own with a cleared environment is traced too", async () => {
    const peer = await peerOf(
      (port) => ["bash", "-c", `env -i setsid bash -c '${connect(port)}'; true`],
      marked,
    );
    expect(await tracePeer(peer)).toBe("exec");
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
    expect(await tracePeer(peer)).toBe("exec");
  });

  it("of a program that exec did not start is not, while a command of an agent runs beside it", async () => {
    children.push(spawn("sleep", ["60"], { env: marked, stdio: "ignore", detached: true }));
    const peer = await peerOf((port) => ["bash", "-c", connect(port)], {});
    expect(await tracePeer(peer)).toBe("clear");
  });

  it("whose sender has ended, or let go of it, is not taken for anybody's", async () => {
    // The request is sent, and the process is gone before anyone can ask what it was.
    const peer = await peerOf(
      (port) => ["bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${port}; echo hi >&3`],
      marked,
    );
    const sender = children.at(-1);
    if (sender !== undefined && sender.exitCode === null) await once(sender, "exit");
    expect(await tracePeer(peer)).toBe("gone");
  });

  it("is traced through a second one with the same ports that was left behind as a decoy", async () => {
    // The decoy's row may stand first in the table, and its end belongs to nobody any more.
    const decoy = `
import socket, sys, time
port = int(sys.argv[1])
real = socket.socket(); real.bind(("127.0.0.1", 0))
own = real.getsockname()[1]
for last in range(2, 12):
    trap = socket.socket(); trap.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    trap.bind((f"127.0.0.{last}", port)); trap.listen()
    one = socket.socket(); one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((f"127.0.1.{last}", own)); one.connect((f"127.0.0.{last}", port)); one.close()
real.connect(("127.0.0.1", port))
time.sleep(60)
`;
    const peer = await peerOf((port) => ["python3", "-c", decoy, String(port)], marked);
    expect(await tracePeer(peer)).toBe("exec");
  });

  it("that nobody is seen to hold is no person's while a command of an agent runs", async () => {
    // Held by a process that closed itself up: the kernel shows neither its environment nor its files.
    children.push(spawn("sleep", ["60"], { env: marked, stdio: "ignore", detached: true }));
    const hide = "import ctypes, os, socket, sys, time\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n";
    const peer = await peerOf(
      (port) => [
        "python3",
        "-c",
        `${hide}s = socket.create_connection(("127.0.0.1", ${port}))\ntime.sleep(60)`,
      ],
      {},
    );
    // Root may look into everything, and then it is seen to be nobody's command.
    expect(await tracePeer(peer)).toBe(process.getuid?.() === 0 ? "clear" : "hidden");
  });
});

it("takes a request whose socket is closed already for nobody's", async () => {
  expect(await objectionTo({ socket: {} as Socket }, "browser")).toMatch(/cannot be told/);
});
