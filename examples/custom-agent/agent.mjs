#!/usr/bin/env node
// A whole agent in one file: it speaks the Agent Client Protocol on stdin and stdout, needs no model, and does one thing:
// it puts the title of its task at the top of CHANGELOG.md. Yours would ask a model here; the rest would be the same.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let lastId = 0;

/** Ask the client something and wait for its answer. */
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = ++lastId;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {},
    agentInfo: { name: "changelog-keeper", version: "1" },
  }),
  "session/new": () => ({ sessionId: "only-one" }),
  "session/prompt": ({ sessionId, prompt }) => work(sessionId, prompt.map(({ text }) => text ?? "").join("\n")),
};

async function work(sessionId, prompt) {
  const update = (content) => send({ method: "session/update", params: { sessionId, update: content } });
  // Where the prompt ends with a line to say when the task is done, that line is its completion promise.
  const promise = /end your last message with this line and nothing else on it:\n(.+)/.exec(prompt)?.[1] ?? "";
  const title = /^## Your task: (.*)$/m.exec(prompt)?.[1] ?? "A change";
  const path = `${process.cwd()}/CHANGELOG.md`;
  const toolCall = { toolCallId: "edit-1", title: "Edit CHANGELOG.md", kind: "edit", locations: [{ path }] };
  update({ sessionUpdate: "tool_call", status: "pending", ...toolCall });
  // Whoever does not ask before it acts is stopped by the sandbox and by the gate over its result all the same.
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  const { outcome } = await ask("session/request_permission", { sessionId, toolCall, options });
  if (outcome.outcome !== "selected" || outcome.optionId !== "yes") return { stopReason: "refusal" };
  writeFileSync(path, readFileSync(path, "utf8").replace("\n\n", `\n\n- ${title}\n`));
  update({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status: "completed" });
  update({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: `It stands at the top now.\n${promise}` },
  });
  return { stopReason: "end_turn" };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (id !== undefined) {
    const answer = methods[method];
    if (answer === undefined) send({ id, error: { code: -32601, message: `${method} is not known here` } });
    // Not awaited: the answer to a permission comes in while the prompt is worked on.
    else void Promise.resolve(answer(params)).then((value) => send({ id, result: value }));
  }
}
