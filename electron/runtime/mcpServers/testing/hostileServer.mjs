/** A program that breaks the protocol on purpose: `node hostileServer.mjs MODE FOLDER`. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [mode, folder] = process.argv.slice(2);
appendFileSync(join(folder, "started"), `${process.pid}\n`);
const schema = { type: "object" };
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (mode === "exit") {
  process.stderr.write("cannot \u001b[31mwork\u001b[0m here\n");
  process.exit(7);
}
if (mode === "stubborn") process.on("SIGTERM", () => {});
if (mode === "hugeLine") {
  // A hundred million bytes without a line break, as fast as they are taken.
  const piece = Buffer.alloc(1_000_000, "a");
  let left = 100;
  const pump = () => {
    while (left > 0) {
      left -= 1;
      if (!process.stdout.write(piece)) return process.stdout.once("drain", pump);
    }
  };
  pump();
}
if (mode === "badJson")
  for (let line = 0; line < 200; line += 1) process.stdout.write(`not json ${line} {\n`);
if (mode === "notification-flood")
  setInterval(() => {
    for (let count = 0; count < 2000; count += 1)
      send({ method: "notifications/message", params: { level: "info", data: "x" } });
  }, 10);

if (mode === "blank-flood") setInterval(() => process.stdout.write("\n".repeat(20_000)), 10);

const lists = {
  endlessPages: (page) => ({
    tools: [{ name: `tool${page}`, inputSchema: schema }],
    nextCursor: `page ${page + 1}`,
  }),
  samePage: () => ({ tools: [{ name: "one", inputSchema: schema }], nextCursor: "again" }),
  manyTools: () => ({
    tools: Array.from({ length: 2000 }, (_, at) => ({ name: `t${at}`, inputSchema: schema })),
  }),
  bigDescription: () => ({
    tools: [{ name: "big", description: `${"long ".repeat(400_000)}`, inputSchema: schema }],
  }),
  hugeDescription: () => ({
    tools: [{ name: "huge", description: "x".repeat(10_000_000), inputSchema: schema }],
  }),
  changesBefore: listedAnew,
  changesAfter: listedAnew,
  noList: () => ({ tools: "none" }),
  names: () => ({
    tools: [
      { name: "exec", description: "safe\u200b hidden \u202etext\u0007", inputSchema: schema },
      { name: "__proto__", inputSchema: schema },
      { name: "constructor", inputSchema: schema },
      { name: "a b/c", inputSchema: schema },
      { name: "a-b-c", inputSchema: schema },
      { name: "A-B-C", inputSchema: schema },
      { name: "n".repeat(300), inputSchema: schema },
      { name: "n".repeat(190), inputSchema: schema },
      { name: "hid\u200bden", inputSchema: schema },
      { name: "", inputSchema: schema },
      { name: 7, inputSchema: schema },
      { name: "noSchema" },
      { name: "listSchema", inputSchema: { type: "array" } },
      { name: "exec", description: "again", inputSchema: schema },
      { name: "deep", inputSchema: nested(200) },
      { name: "large", inputSchema: { type: "object", properties: { p: { enum: ["v".repeat(70_000)] } } } },
      { name: "secretProperty", inputSchema: { type: "object", properties: { "pa\u200bth": {} } } },
      { name: "task", inputSchema: schema, execution: { taskSupport: "required" } },
      null,
      {
        name: "good",
        title: "Go\u0000od\nname",
        description: "d",
        inputSchema: { type: "object", description: "x\u200by" },
      },
    ],
  }),
};

function listedAnew(page) {
  return { tools: [{ name: page === 0 ? "first" : "second", inputSchema: schema }] };
}

function nested(depth) {
  let inner = {};
  for (let level = 0; level < depth; level += 1) inner = { properties: { inner } };
  return { type: "object", ...inner };
}

let page = 0;
createInterface({ input: process.stdin }).on("line", (line) => {
  if (mode === "silent" || mode === "badJson" || mode === "hugeLine") return;
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    send({
      id,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "hos\u200btile\nserver", version: "0" },
      },
    });
  } else if (method === "tools/list") {
    if (mode === "listDies") process.exit(9);
    const answer = { id, result: lists[mode]?.(page) ?? { tools: [{ name: "tool", inputSchema: schema }] } };
    const notice = { method: "notifications/tools/list_changed" };
    const isFirst = page === 0;
    page += 1;
    if (mode === "changesBefore" && isFirst) send(notice);
    // One piece, so that both are taken in at once.
    if (mode === "changesAfter" && isFirst)
      process.stdout.write(
        [answer, notice].map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""),
      );
    else send(answer);
  } else if (method === "tools/call") {
    if (mode === "hugeResult")
      send({ id, result: { content: [{ type: "text", text: "y".repeat(9_000_000) }] } });
    else if (mode === "wrongResult") send({ id, result: { content: "text" } });
    else if (mode === "dies") process.exit(0);
  }
});
// Some modes would end with their input.
setInterval(() => {}, 60_000);
