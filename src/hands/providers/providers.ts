import type { ModelSettings } from "../../model/settings/model-config.js";
import type { Completion } from "./model.js";

/*
 * How each API is asked and how its answers are read. Both are given the form of an answer as a schema: the Messages API
 * as the one tool that must be called, chat completions as the format of the response. A schema must be an object there,
 * so the answer stands in a field of it.
 */

interface Answer {
  readonly text: string;
  readonly json: unknown;
  readonly stopped: "end" | "max_tokens" | "refusal";
  /** Null when the answer does not say. */
  readonly tokens: { readonly in: number; readonly out: number } | null;
}

export interface Provider {
  readonly path: string;
  readonly headers: (key: string | null) => Readonly<Record<string, string>>;
  readonly body: (completion: Completion, settings: ModelSettings) => unknown;
  /** Null for what is not an answer of this API. */
  readonly read: (body: unknown) => Answer | null;
}

const wrapSchema = (schema: Readonly<Record<string, unknown>>) => ({
  type: "object",
  properties: { answer: schema },
  required: ["answer"],
});
const TOOL = "answer";

const anthropic: Provider = {
  path: "/v1/messages",
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) }),
  body: ({ system, prompt, schema, maxTokens }, { model, answers }) => ({
    model,
    max_tokens: maxTokens,
    system,
    messages: [{ role: "user", content: prompt }],
    ...(schema === null || answers === "text"
      ? {}
      : {
          tools: [{ name: TOOL, description: "Give the answer.", input_schema: wrapSchema(schema) }],
          tool_choice: { type: "tool", name: TOOL },
        }),
  }),
  read: (body) => {
    const { content, stop_reason, usage } = fields(body);
    if (!Array.isArray(content)) return null;
    const blocks = content.map(fields);
    const called = blocks.find(({ type, name }) => type === "tool_use" && name === TOOL);
    const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => String(text));
    const counted = fields(usage);
    const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    return {
      text: called === undefined ? texts.join("\n") : JSON.stringify(called["input"]),
      json: called === undefined ? undefined : fields(called["input"])["answer"],
      stopped: stop_reason === "max_tokens" ? "max_tokens" : stop_reason === "refusal" ? "refusal" : "end",
      tokens: counts(
        input.map((name) => counted[name]),
        counted["output_tokens"],
      ),
    };
  },
};

const openai: Provider = {
  path: "/chat/completions",
  headers: (key): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body: ({ system, prompt, schema, maxTokens }, { model, answers }) => ({
    model,
    max_tokens: maxTokens,
    messages: [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ],
    ...(schema === null || answers === "text"
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: TOOL, schema: wrapSchema(schema) } } }),
  }),
  read: (body) => {
    const { choices, usage } = fields(body);
    if (!Array.isArray(choices) || choices.length === 0) return null;
    const { message, finish_reason } = fields(choices[0]);
    const { content, refusal } = fields(message);
    if (typeof content !== "string" && typeof refusal !== "string") return null;
    const { prompt_tokens, completion_tokens } = fields(usage);
    const refused = typeof refusal === "string" || finish_reason === "content_filter";
    return {
      text: typeof content === "string" ? content : String(refusal),
      json: undefined,
      stopped: finish_reason === "length" ? "max_tokens" : refused ? "refusal" : "end",
      tokens: counts([prompt_tokens], completion_tokens),
    };
  },
};

export const PROVIDERS: Readonly<Record<ModelSettings["provider"], Provider>> = { anthropic, openai };

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Null unless both are reported: half a count would be taken for the whole. */
function counts(input: readonly unknown[], output: unknown): Answer["tokens"] {
  const told = input.filter(isCount);
  if (told.length === 0 || !isCount(output)) return null;
  return { in: told.reduce((sum, n) => sum + n, 0), out: output };
}
