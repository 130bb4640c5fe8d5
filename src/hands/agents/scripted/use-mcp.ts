import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { McpServer } from "@agentclientprotocol/sdk";

/** A tool of one of the servers the session was given, called as agents do: the server is the agent's own child. */
export interface McpCall {
  readonly mcp: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message?: string };
}

/** Contract: what the tool answers, as text. Throws when there is no such server or it does not answer. */
export async function useMcp(servers: readonly McpServer[], call: McpCall, cwd: string): Promise<string> {
  const server = servers.find(({ name }) => name === call.mcp);
  if (server === undefined || !("command" in server))
    throw new Error(`no server ${call.mcp}, only ${servers.map(({ name }) => name).join(", ")}`);
  const env = { ...process.env, ...Object.fromEntries(server.env.map(({ name, value }) => [name, value])) };
  const child = spawn(server.command, server.args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (answer: Answer) => void>();
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ${call.mcp} ended with ${code}`)));
  });
  ended.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const ask = (method: string, params: object) => {
    const id = ++last;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return Promise.race([answered, ended]);
  };
  try {
    const clientInfo = { name: "scripted", version: "1" };
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    send({ method: "notifications/initialized" });
    const { result, error } = await ask("tools/call", { name: call.tool, arguments: call.arguments });
    if (error !== undefined) throw new Error(error.message ?? "the server answered with an error");
    return (result?.content ?? []).map(({ text = "" }) => text).join("");
  } finally {
    child.kill("SIGKILL");
  }
}
