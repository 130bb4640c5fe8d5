import { Client as CurrentClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as CurrentTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Asked } from "../e2e/asked.js";
import { PROGRAM } from "../e2e/project.js";

/* The program as an agent starts it, over stdin and stdout, called by the clients of both SDKs in three versions of the protocol. */

export const VERSIONS = ["2025-06-18 by the first SDK", "2025-11-25 by the second SDK", "2026-07-28"] as const;
export type Version = (typeof VERSIONS)[number];

interface Called {
  readonly isError: boolean;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- read by tests, which say what they expect
  readonly value: any;
}

/** How the person in front of the client closes a form; null for a client without forms. */
type Form = ((message: string) => { action: "accept" | "decline" | "cancel"; content?: { answer: string } }) | null;

export interface AgentClient {
  readonly pid: number;
  readonly call: (name: string, args?: object, onProgress?: (line: string) => void) => Promise<Called>;
  readonly tools: () => Promise<readonly ListedTool[]>;
  readonly resources: () => Promise<readonly string[]>;
  readonly read: (uri: string) => Promise<string>;
  readonly prompts: () => Promise<readonly string[]>;
  readonly prompt: (name: string, args: Record<string, string>) => Promise<string>;
  readonly said: () => string;
  readonly close: () => Promise<void>;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly properties?: object | undefined };
  readonly outputSchema?: { readonly properties?: object | undefined } | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

interface Given {
  readonly form?: Form;
  readonly cwd?: string;
  readonly args?: readonly string[];
}

/** Connect to `coordinator mcp` in the project of a desk. */
export async function connect(
  desk: Pick<Asked, "cwd" | "env">,
  version: Version,
  given: Given = {},
): Promise<AgentClient> {
  const { form = null, cwd = desk.cwd, args = [] } = given;
  const start = {
    command: process.execPath,
    args: [PROGRAM, ...args, "mcp"],
    cwd,
    env: { ...desk.env },
    stderr: "pipe" as const,
  };
  const about = { name: "test-agent", version: "1.0.0" };
  const capabilities = form === null ? {} : { elicitation: { form: {} } };
  let said = "";
  let client: OldClient | CurrentClient;
  let transport: OldTransport | CurrentTransport;
  if (version === VERSIONS[0]) {
    const old = new OldClient(about, { capabilities: form === null ? {} : { elicitation: {} } });
    if (form !== null) old.setRequestHandler(ElicitRequestSchema, async ({ params }) => form(params.message));
    transport = new OldTransport(start);
    client = old;
  } else {
    const mode = version === "2026-07-28" ? { pin: "2026-07-28" } : ("legacy" as const);
    const current = new CurrentClient(about, { capabilities, versionNegotiation: { mode } });
    if (form !== null) current.setRequestHandler("elicitation/create", async ({ params }) => form(params.message));
    transport = new CurrentTransport(start);
    client = current;
  }
  transport.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(() => client.close());
  // oxlint-disable-next-line typescript/no-explicit-any -- the two SDKs name their transports apart
  await (client as any).connect(transport);
  return {
    pid: transport.pid ?? 0,
    call: async (name, args = {}, onProgress) => {
      const options = {
        timeout: 120_000,
        ...(onProgress === undefined ? {} : { onprogress: ({ message = "" }) => onProgress(message) }),
      };
      const params = { name, arguments: args as Record<string, unknown> };
      const result = (await (client instanceof OldClient
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options))) as {
        isError?: boolean;
        content: { text?: string }[];
        structuredContent?: unknown;
      };
      const text = result.content.map((part) => part.text ?? "").join("");
      return { isError: result.isError === true, text, value: result.structuredContent };
    },
    tools: async () => (await client.listTools()).tools as readonly ListedTool[],
    resources: async () => [
      ...(await client.listResources()).resources.map(({ uri }) => uri),
      ...(await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ],
    read: async (uri) =>
      (await client.readResource({ uri })).contents.map((one) => ("text" in one ? one.text : "")).join(""),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => ("text" in content ? content.text : "")).join("\n");
    },
    said: () => said,
    close: () => client.close(),
  };
}
