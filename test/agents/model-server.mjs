// A model that follows a script: it plays every API the agents speak, because the prompt carries what it is to answer.
//   SCRIPT:[{"write":["/abs/path","text\n"]},{"bash":"npm test"},{"say":"done"}]END
// Further steps: {"tool":[name,arguments]} calls a tool as it is, {"hang":1} leaves the stream open.
// It keeps no state: the step is the number of tool results after the last message that holds a script.
// For prompts nobody can write a script into, `play(text)` gives the takes a text is answered with: the first
// conversation about it follows the first, the next one the second, and so on; the last is played again.
import { createServer } from "node:http";

/** Ids must never come twice: an agent that goes on with a session takes the second for the first. */
let calls = 0;

export const USAGE = { in: 1000, out: 50 };

/**
 * Starts the server on loopback. `log` receives every request, unknown route and closed stream. A model that `isLimited`
 * answers 429.
 */
export function startModelServer({ port = 0, log = () => {}, play = () => null, isLimited = () => false } = {}) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      try {
        answer(request, response, text === "" ? {} : JSON.parse(text), { log, play, isLimited });
      } catch (error) {
        log({ error: String(error), url: request.url });
        if (!response.headersSent) response.writeHead(500);
        response.end();
      }
    });
  });
  return new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => resolve({ server, url: `http://127.0.0.1:${server.address().port}` })),
  );
}

function answer(request, response, body, { log, play, isLimited }) {
  const { pathname } = new URL(request.url, "http://loopback");
  if (request.method === "GET" && pathname.endsWith("/models")) return json(response, { object: "list", data: [] });
  if (pathname.endsWith("/count_tokens")) return json(response, { input_tokens: USAGE.in });
  if (pathname.endsWith(":countTokens")) return json(response, { totalTokens: USAGE.in });
  const api = APIS.find(({ route }) => route.test(pathname));
  if (request.method !== "POST" || api === undefined) {
    log({ unknown: `${request.method} ${pathname}` });
    response.writeHead(404).end();
    return;
  }
  if (isLimited(String(body.model ?? pathname))) {
    log({ limited: body.model ?? pathname });
    const error = { type: "rate_limit_error", code: "rate_limit_exceeded", message: "429 rate limit reached" };
    response.writeHead(429, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify({ type: "error", error }));
    return;
  }
  const tools = api.tools(body);
  const step = nextStep(api.turns(body), tools, { play, model: body.model });
  log({ api: api.name, model: body.model ?? pathname, tools: tools.map(({ name }) => name), step });
  if (step.hang !== undefined) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": waiting\n\n");
    response.on("close", () => log({ closed: api.name }));
    return;
  }
  const wanted = step.call === undefined ? { text: step.say } : { call: { ...step.call, id: `call_${++calls}` } };
  api.send(response, body, wanted, pathname);
}

/** What to answer: plain text when there is no script, no tool, or no step left. */
function nextStep(turns, tools, { play, model }) {
  const last = turns.findLastIndex(({ text }) => scriptIn(text) !== null || play(text) !== null);
  if (last === -1 || tools.length === 0) return { say: "ok" };
  const at = turns.slice(last + 1).reduce((sum, { results }) => sum + results, 0);
  const script = scriptIn(turns[last].text) ?? takeOf(play(turns[last].text), { at, model });
  if (script === null) return { say: "ok" };
  const step = script[at];
  if (step === undefined) return { say: promised("done", turns) };
  if (step.hang !== undefined) return { at, hang: 1 };
  if (step.say !== undefined) return { at, say: promised(step.say, turns) };
  return { at, call: callFor(step, tools) };
}

/** What it says last ends with the completion promise, where a prompt asks for one. */
function promised(text, turns) {
  const asked = turns.map((turn) => PROMISE.exec(turn.text)?.[1]).findLast((found) => found !== undefined);
  return asked === undefined ? text : `${text}\n\n${asked}`;
}

const PROMISE = /end your last message with this line and nothing else on it:\n(\S.*)/;

/**
 * A conversation begins where nothing was answered yet: the takes are told apart by that, and by nothing else. Another
 * model that is asked in the same words is asked for a title or the like, and follows no take.
 */
function takeOf(takes, { at, model }) {
  takes.model ??= model;
  if (takes.model !== model) return null;
  if (at === 0) takes.begun = (takes.begun ?? 0) + 1;
  return takes[Math.min(takes.begun, takes.length) - 1];
}

/** Agents quote a prompt in several ways on its way to the model; the script is found in each. */
function scriptIn(text) {
  // The last one: some agents put two prompts that follow each other into one message.
  const found = [...text.matchAll(/SCRIPT:(\[[\s\S]*?\])END/g)].at(-1)?.[1];
  if (found === undefined) return null;
  for (const form of [found, found.replaceAll('\\"', '"').replaceAll("\\\\", "\\")])
    try {
      return JSON.parse(form);
    } catch {
      // the next form
    }
  return null;
}

const patch = (path, text) =>
  `*** Begin Patch\n*** Add File: ${path}\n${text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n")}\n*** End Patch`;
const heredoc = (path, text) => `cat > '${path}' <<'EOF_OF_FILE'\n${text}EOF_OF_FILE`;

const WRITERS = [
  ["Write", (path, text) => ({ file_path: path, content: text })],
  ["write_file", (path, text) => ({ file_path: path, content: text })],
  ["create", (path, text) => ({ path, file_text: text })],
  ["write", (path, text) => ({ filePath: path, path, content: text })],
  ["apply_patch", (path, text) => patch(path, text)],
  ["exec", (path, text) => `text(await tools.apply_patch(${JSON.stringify(patch(path, text))}))`],
  ["exec_command", (path, text) => ({ cmd: heredoc(path, text) })],
];
const SHELLS = [
  ["Bash", (command) => ({ command, description: "run" })],
  ["bash", (command) => ({ command, description: "run", mode: "sync" })],
  ["run_shell_command", (command) => ({ command, description: "run" })],
  ["exec", (command) => `text(await tools.exec_command({cmd: ${JSON.stringify(command)}}))`],
  ["exec_command", (command) => ({ cmd: command })],
  ["shell_command", (command) => ({ command })],
  ["shell", (command) => ({ command })],
];

function callFor(step, tools) {
  if (step.tool !== undefined) return { name: step.tool[0], args: step.tool[1], custom: isCustom(step.tool[0], tools) };
  const [list, values] = step.write === undefined ? [SHELLS, [step.bash]] : [WRITERS, step.write];
  const found = list.find(([name]) => tools.some((tool) => tool.name === name));
  if (found === undefined) throw new Error(`no tool for ${JSON.stringify(step)} in ${tools.map((t) => t.name)}`);
  return { name: found[0], args: found[1](...values), custom: isCustom(found[0], tools) };
}

const isCustom = (name, tools) => tools.find((tool) => tool.name === name)?.custom === true;

// ── the four APIs ──────────────────────────────────────────────────────────────────────────────────────────────────

const textOf = (content) => (typeof content === "string" ? content : JSON.stringify(content ?? ""));

/** One entry for each message: its text, and how many tool results it brings. */
const turn = (text, results) => ({ text, results });

const APIS = [
  {
    name: "messages",
    route: /\/messages$/,
    tools: (body) => (body.tools ?? []).map(({ name }) => ({ name })),
    turns: (body) =>
      body.messages.map(({ role, content }) => {
        const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
        const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
        const results = blocks.filter(({ type }) => type === "tool_result").length;
        return turn(role === "user" ? texts.join("\n") : "", results);
      }),
    send: (response, body, { text, call }) => {
      const block = call
        ? { type: "tool_use", id: call.id, name: call.name, input: call.args }
        : { type: "text", text };
      const message = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: body.model,
        content: [block],
        stop_reason: call ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: { input_tokens: USAGE.in, output_tokens: USAGE.out },
      };
      if (body.stream !== true) return json(response, message);
      const opened = call ? { ...block, input: {} } : { type: "text", text: "" };
      const delta = call
        ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
        : { type: "text_delta", text };
      const start = { ...message, content: [], stop_reason: null, usage: { input_tokens: USAGE.in, output_tokens: 1 } };
      const ending = { stop_reason: message.stop_reason, stop_sequence: null };
      stream(response, [
        { type: "message_start", message: start },
        { type: "content_block_start", index: 0, content_block: opened },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: ending, usage: { output_tokens: USAGE.out } },
        { type: "message_stop" },
      ]);
    },
  },
  {
    name: "chat",
    route: /\/chat\/completions$/,
    tools: (body) => (body.tools ?? []).map((tool) => ({ name: tool.function?.name })),
    turns: (body) =>
      body.messages.map(({ role, content }) => turn(role === "user" ? textOf(content) : "", role === "tool" ? 1 : 0)),
    send: (response, body, { text, call }) => {
      const usage = { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out };
      const calls = call
        ? [{ id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } }]
        : undefined;
      const finish = call ? "tool_calls" : "stop";
      const base = { id: "chat_1", created: 1, model: body.model };
      if (body.stream !== true) {
        const message = { role: "assistant", content: text ?? null, ...(calls ? { tool_calls: calls } : {}) };
        const choices = [{ index: 0, message, finish_reason: finish }];
        return json(response, { ...base, object: "chat.completion", choices, usage });
      }
      const chunk = (delta, reason = null) => ({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
      const body_ = calls ? { tool_calls: calls.map((each) => ({ index: 0, ...each })) } : { content: text };
      const last = { ...base, object: "chat.completion.chunk", choices: [], usage };
      stream(response, [chunk({ role: "assistant" }), chunk(body_), chunk({}, finish), last, "[DONE]"], {
        typed: false,
      });
    },
  },
  {
    name: "responses",
    route: /\/responses$/,
    tools: (body) => {
      const more = (body.input ?? []).filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => tools);
      const flat = [...(body.tools ?? []), ...more].flatMap((tool) => tool.tools ?? [tool]);
      return flat.map(({ name, type }) => ({ name, custom: type === "custom" }));
    },
    turns: (body) =>
      (typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input).map((item) =>
        turn(
          item.role === "user" ? (item.content?.map?.(({ text }) => text).join("\n") ?? textOf(item.content)) : "",
          (item.type ?? "").endsWith("_call_output") ? 1 : 0,
        ),
      ),
    send: (response, body, { text, call }) => {
      const item = !call
        ? {
            type: "message",
            id: "item_1",
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }],
          }
        : call.custom
          ? { type: "custom_tool_call", id: "item_1", call_id: call.id, name: call.name, input: call.args }
          : {
              type: "function_call",
              id: "item_1",
              call_id: call.id,
              name: call.name,
              arguments: JSON.stringify(call.args),
            };
      const usage = {
        input_tokens: USAGE.in,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: USAGE.out,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: USAGE.in + USAGE.out,
      };
      const whole = { id: "resp_1", object: "response", status: "completed", model: body.model, output: [item], usage };
      if (body.stream !== true) return json(response, whole);
      const at = { output_index: 0, item_id: "item_1" };
      const part = { type: "output_text", text: "", annotations: [] };
      const middle = !call
        ? [
            { type: "response.content_part.added", ...at, content_index: 0, part },
            { type: "response.output_text.delta", ...at, content_index: 0, delta: text },
            { type: "response.output_text.done", ...at, content_index: 0, text },
            { type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text } },
          ]
        : call.custom
          ? []
          : [
              { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
              { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
            ];
      const events = [
        { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
        ...middle,
        { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } },
        { type: "response.completed", response: whole },
      ];
      stream(
        response,
        events.map((event, i) => ({ ...event, sequence_number: i })),
      );
    },
  },
  {
    name: "gemini",
    route: /:(stream)?[gG]enerateContent$/,
    tools: (body) =>
      (body.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => ({ name }))),
    turns: (body) =>
      body.contents.map(({ role, parts }) =>
        turn(
          role === "user" ? parts.map(({ text }) => text ?? "").join("\n") : "",
          parts.filter(({ functionResponse }) => functionResponse !== undefined).length,
        ),
      ),
    send: (response, body, { text, call }, pathname) => {
      const structured = body.generationConfig?.responseMimeType === "application/json";
      const verdict = {
        next_speaker: "user",
        reasoning: "scripted",
        model_choice: "flash",
        complexity_score: 1,
        complexity_reasoning: "scripted",
      };
      const part = call
        ? { functionCall: { name: call.name, args: call.args } }
        : { text: structured ? JSON.stringify(verdict) : text };
      const whole = {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata: {
          promptTokenCount: USAGE.in,
          candidatesTokenCount: USAGE.out,
          totalTokenCount: USAGE.in + USAGE.out,
        },
      };
      if (pathname.includes(":stream")) stream(response, [whole], { typed: false });
      else json(response, whole);
    },
  },
];

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response, events, { typed = true } = {}) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) {
    if (typed) response.write(`event: ${event.type}\n`);
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}
