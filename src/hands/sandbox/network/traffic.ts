import { jsonOrUndefined } from "../../../foundation/documents/json-or-undefined.js";
/*
 * Traffic of a key proxy, and the tokens that the model's own answers name. For agents that report no usage this
 * is how tokens are counted. An answer that names none is counted as unmetered, never as free.
 */

export interface ModelTraffic {
  readonly requests: number;
  readonly refused: number;
  /** Answers of the model's server: those it gave, and those that say the key is none. */
  readonly answered: number;
  readonly unauthorized: number;
  readonly bytes_up: number;
  readonly bytes_down: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Answers of a model in which no usage was found. */
  readonly unmetered: number;
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

export interface UsageReader {
  readonly push: (chunk: Buffer) => void;
  /** Contract: null when the answer named no usage. */
  readonly end: () => Tokens | null;
}

const MAX_TEXT = 8 * 1024 * 1024;

/** Contract: bounded, whatever comes; what it cannot read it leaves, and never throws. */
export function readUsage(contentType: string): UsageReader {
  return contentType.includes("text/event-stream") ? readEvents() : readDocument();
}

function readDocument(): UsageReader {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    push: (chunk) => {
      size += chunk.length;
      if (size <= MAX_TEXT) chunks.push(chunk);
    },
    end: () => {
      const document = size <= MAX_TEXT ? jsonOrUndefined(Buffer.concat(chunks).toString("utf8")) : null;
      // Gemini streams a list of answers when it is not asked for events; the last one has the sum.
      const answers = Array.isArray(document) ? document : [document];
      return answers.reduce<Tokens | null>((before, answer) => later(before, tokensIn(answer)), null);
    },
  };
}

function readEvents(): UsageReader {
  let rest = "";
  let tokens: Tokens | null = null;
  let skipping = false;
  const line = (text: string) => {
    if (text.startsWith("data:")) tokens = later(tokens, tokensIn(jsonOrUndefined(text.slice(5))));
  };
  return {
    push: (chunk) => {
      // Only figures and ASCII keys matter: a character that two chunks share does no harm.
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) {
        if (!skipping) line(text);
        skipping = false;
      }
      if (rest.length > MAX_TEXT) [rest, skipping] = ["", true];
    },
    end: () => {
      line(rest);
      return tokens;
    },
  };
}

/** Streams say it in parts and as running totals: each figure only grows. */
function later(before: Tokens | null, now: Tokens | null): Tokens | null {
  if (before === null || now === null) return now ?? before;
  return { input: Math.max(before.input, now.input), output: Math.max(before.output, now.output) };
}

type Fields = Readonly<Record<string, unknown>>;

/** Anthropic messages, OpenAI chat and responses, Gemini; as one answer or as one event of a stream. */
function tokensIn(answer: unknown): Tokens | null {
  if (!isFields(answer)) return null;
  for (const place of [answer, answer["message"], answer["response"]]) {
    if (!isFields(place)) continue;
    const usage = place["usage"];
    if (isFields(usage)) {
      const input = sum(usage, [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "prompt_tokens",
      ]);
      const output = sum(usage, ["output_tokens", "completion_tokens"]);
      if (input !== null || output !== null) return { input: input ?? 0, output: output ?? 0 };
    }
    const metadata = place["usageMetadata"];
    if (isFields(metadata)) {
      const input = sum(metadata, ["promptTokenCount", "toolUsePromptTokenCount"]);
      const output = sum(metadata, ["candidatesTokenCount", "thoughtsTokenCount"]);
      if (input !== null || output !== null) return { input: input ?? 0, output: output ?? 0 };
    }
  }
  return null;
}

function sum(usage: Fields, names: readonly string[]): number | null {
  const figures = names.map((name) => usage[name]).filter((figure) => typeof figure === "number" && figure >= 0);
  return figures.length === 0 ? null : (figures as number[]).reduce((total, figure) => total + figure, 0);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
