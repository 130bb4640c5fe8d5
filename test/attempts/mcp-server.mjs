import { appendFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

/* A small server of the Model Context Protocol over stdio. It writes where it is told and dials whom it is told. */

const text = { type: "string" };
const tools = [
  { name: "write", inputSchema: { type: "object", properties: { path: text }, required: ["path"] } },
  { name: "dial", inputSchema: { type: "object", properties: { host: text, port: { type: "number" } } } },
  { name: "look", inputSchema: { type: "object", properties: {} } },
];

async function call(name, { path, host, port }) {
  if (name === "look") return JSON.stringify({ cwd: process.cwd(), env: process.env, args: process.argv.slice(2) });
  if (name === "write") {
    try {
      appendFileSync(path, "from the server\n");
      return `wrote ${path}`;
    } catch (error) {
      return `refused ${path} ${error.code}`;
    }
  }
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3000 }, () => resolve(`reached ${host}`));
    socket.on("timeout", () => resolve(`refused ${host} timeout`));
    socket.on("error", (error) => resolve(`refused ${host} ${error.code}`));
  });
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "fixture", version: "1" },
    }),
    "tools/list": () => ({ tools }),
    "tools/call": async () => ({ content: [{ type: "text", text: await call(params.name, params.arguments ?? {}) }] }),
  };
  const result = await answers[method]?.();
  const answer = result === undefined ? { error: { code: -32601, message: `no ${method}` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
