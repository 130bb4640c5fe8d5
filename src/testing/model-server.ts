import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A model's API on loopback that gives prepared answers, one reply after the other; the last one again and again. It
 * speaks both APIs: the path of the request decides which.
 */

export type Reply =
  | { readonly text: string; readonly tokens?: readonly [number, number]; readonly cut?: true }
  /** The answer as a value, where the API has a way to give one. */
  | { readonly json: unknown; readonly tokens?: readonly [number, number] }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | { readonly raw: string }
  | { readonly hang: true };

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: Readonly<Record<string, unknown>>;
  }[];
  readonly close: () => Promise<void>;
}

export async function startModelServer(replies: readonly Reply[]): Promise<ModelServer> {
  const requests: { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const reply = replies[Math.min(requests.length, replies.length - 1)] ?? { hang: true };
      requests.push({ path, headers: request.headers, body: JSON.parse(text) as Record<string, unknown> });
      answer(reply, path.endsWith("/messages"), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function answer(reply: Reply, isMessages: boolean, response: ServerResponse): void {
  const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  if ("hang" in reply) return;
  if ("raw" in reply) return void response.writeHead(200).end(reply.raw);
  if ("status" in reply) return void send(reply.status, reply.body ?? { error: { message: "no" } }, reply.headers);
  const isCut = "cut" in reply && reply.cut;
  const { tokens } = reply;
  if (isMessages) {
    const input = "json" in reply ? { answer: reply.json } : null;
    const block =
      "text" in reply ? { type: "text", text: reply.text } : { type: "tool_use", id: "t1", name: "answer", input };
    const usage = tokens === undefined ? {} : { usage: { input_tokens: tokens[0], output_tokens: tokens[1] } };
    return void send(200, { content: [block], stop_reason: isCut ? "max_tokens" : "end_turn", ...usage });
  }
  const content = "text" in reply ? reply.text : JSON.stringify({ answer: reply.json });
  const usage = tokens === undefined ? {} : { usage: { prompt_tokens: tokens[0], completion_tokens: tokens[1] } };
  send(200, {
    choices: [{ message: { role: "assistant", content }, finish_reason: isCut ? "length" : "stop" }],
    ...usage,
  });
}
