/**
 * A real MCP server for tests, over stdio: `node toyServer.mjs FOLDER`.
 * It appends its pid to FOLDER/started, and lists what FOLDER/tools.json holds, else tools of its own. SIGUSR2 makes it
 * say that its tools changed.
 */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answerCall, toyTools } from "./toyTools.mjs";

const folder = process.argv[2];
const note = (file, text) => appendFileSync(join(folder, file), `${text}\n`);
note("started", process.pid);
process.stderr.write("toy server up\n");

const server = new Server(
  { name: "toy", version: "1.2.3" },
  { capabilities: { tools: { listChanged: true } } },
);
server.setRequestHandler(ListToolsRequestSchema, () => {
  const file = join(folder, "tools.json");
  return { tools: existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : toyTools };
});
server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
  const { name, arguments: args = {} } = params;
  note("calls", JSON.stringify({ name, args }));
  if (name === "crash") process.exit(3);
  if (name === "env")
    return { content: [{ type: "text", text: JSON.stringify({ env: process.env, cwd: process.cwd() }) }] };
  if (name === "child") {
    // A session of its own and no tie to us: only its environment says where it comes from.
    const child = spawn(
      process.execPath,
      ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"],
      {
        detached: true,
        stdio: "ignore",
      },
    );
    child.unref();
    return { content: [{ type: "text", text: String(child.pid) }] };
  }
  if (name === "knock") {
    // As an operator's program would, from a process of its own.
    const script = `fetch(process.env.ADDRESS, { method: "POST", body: "{}", headers: {
      authorization: "Bearer " + process.env.SECRET, "content-type": "application/json" } })
      .then((answer) => process.stdout.write(String(answer.status)));`;
    const env = { ...process.env, ADDRESS: args.address, SECRET: args.secret };
    const text = execFileSync(process.execPath, ["-e", script], { encoding: "utf8", env });
    return { content: [{ type: "text", text }] };
  }
  if (name === "slow") {
    extra.signal.addEventListener("abort", () => note("cancelled", extra.requestId));
    note("slow", extra.requestId);
    return new Promise(() => {});
  }
  if (name === "ask") {
    const asks = [
      [
        { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
        CreateMessageResultSchema,
      ],
      [
        {
          method: "elicitation/create",
          params: { message: "?", requestedSchema: { type: "object", properties: {} } },
        },
        ElicitResultSchema,
      ],
      [{ method: "roots/list" }, ListRootsResultSchema],
    ];
    const got = [];
    for (const [request, schema] of asks)
      got.push(
        await extra.sendRequest(request, schema).then(
          () => "answered",
          (error) => `refused ${error.code}`,
        ),
      );
    return { content: [{ type: "text", text: got.join(", ") }] };
  }
  const notify = async (notification) => {
    await extra.sendNotification(notification);
    // Its answer says that everything before was taken in.
    await extra.sendRequest({ method: "ping" }, EmptyResultSchema);
  };
  return answerCall(name, args, notify, params._meta?.progressToken);
});
await server.connect(new StdioServerTransport());
process.on("SIGUSR2", () => void server.sendToolListChanged());
