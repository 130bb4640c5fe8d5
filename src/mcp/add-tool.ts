import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  inputRequired,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { CoordinatorError } from "../model/errors.js";
import type { OpenProject } from "./project.js";
import type { FormAnswer, Tool, ToolCall } from "./tool.js";

/* How a tool that is declared as data becomes one of the protocol. */

interface ToolPlace {
  readonly open: OpenProject;
  readonly states: RequestStateCodec<string>;
}

/** Thrown by a tool that needs an answer of the person first: the client shows the form and calls again. */
class FormNeeded extends Error {
  readonly key: string;
  readonly question: string;

  constructor(key: string, question: string) {
    super(`a form about ${key} is to be shown`);
    this.key = key;
    this.question = question;
  }
}

interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
}

const Answer = z.object({ answer: z.string().min(1).max(20_000).describe("Your answer.") });

export function addTool(server: McpServer, tool: Tool, { open, states }: ToolPlace): void {
  const { name, title, description, input: inputSchema, output: outputSchema, annotations } = tool;
  const config = { title, description, inputSchema, outputSchema, annotations: { title, ...annotations } };
  server.registerTool(name, config, async (input, request): Promise<CallToolResult | InputRequiredResult> => {
    try {
      const context = await open(tool.command);
      const value = await tool.handle(input as never, callOf(server, request, context));
      return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: { ...value } };
    } catch (error) {
      if (error instanceof FormNeeded)
        return inputRequired({
          inputRequests: { answer: inputRequired.elicit({ message: error.question, requestedSchema: Answer }) },
          requestState: await states.mint(error.key, request),
        });
      return toolError(error);
    }
  });
}

function callOf(server: McpServer, request: ServerContext, context: ToolCall["context"]): ToolCall {
  const { mcpReq } = request;
  const token = mcpReq._meta?.progressToken;
  let sent = 0;
  return {
    context,
    client: clientName(server, request),
    signal: mcpReq.signal,
    progress: (message, done, total) => {
      if (token === undefined) return;
      // Each is higher than the one before, as the protocol wants it.
      sent = Math.max(sent + 0.001, done ?? 0);
      const params = { progressToken: token, progress: sent, message, ...(total === undefined ? {} : { total }) };
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
    form: (key, question) => answerIn(server, request, key, question),
  };
}

/** Contract: throws FormNeeded where the client has forms and was not asked yet. Only an accepted answer is one. */
function answerIn(server: McpServer, { mcpReq }: ServerContext, key: string, question: string): FormAnswer {
  const given = mcpReq.inputResponses?.["answer"] as
    | { readonly action?: unknown; readonly content?: unknown }
    | undefined;
  if (given !== undefined && mcpReq.requestState<string>() === key) {
    const read = Answer.safeParse(given.content);
    return given.action === "accept" && read.success
      ? { status: "answered", text: read.data.answer }
      : { status: "declined" };
  }
  const declared = envelopeOf(mcpReq)[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
  if (declared?.elicitation === undefined) return { status: "unavailable" };
  throw new FormNeeded(key, question);
}

/** Current clients say who they are and what they can do with each call; older ones said so once, at the beginning. */
function envelopeOf({ envelope }: ServerContext["mcpReq"]): Envelope {
  return envelope ?? {};
}

function clientName(server: McpServer, { mcpReq }: ServerContext): string {
  const name = (envelopeOf(mcpReq)[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion())?.name ?? "an agent";
  return name.replaceAll(/\s+/g, " ").slice(0, 60);
}

/** Contract: a mistake of the program is told without its text. */
function toolError(error: unknown): CallToolResult {
  const { code, message, fix } =
    error instanceof CoordinatorError
      ? error
      : {
          code: "INTERNAL",
          message: "Something went wrong inside of Coordinator",
          fix: "This is a mistake of the program: report it with what was called.",
        };
  const text = `Error: ${message} [${code}]${fix === undefined ? "" : `\nFix: ${fix}`}`;
  return { isError: true, content: [{ type: "text", text }] };
}
