/*
 * Programs for use without a person print their answer as plain text, as one JSON document, or as lines of JSON whose
 * last ones carry the result and what it used.
 */

export interface PrintedAnswer {
  readonly text: string;
  /** In the form of the answer to a prompt, when anything was said of tokens. */
  readonly response: Readonly<Record<string, unknown>> | null;
}

const TEXT_KEYS = ["result", "response", "output", "text", "message", "content"];

export function answerIn(printed: string): PrintedAnswer {
  const whole = objectIn(printed);
  const objects = whole === null ? printed.split("\n").map(objectIn) : [whole];
  const lines = objects.filter((object) => object !== null);
  if (lines.length === 0) return { text: printed.trim(), response: null };
  const usage = lines.map(usageIn).findLast((found) => found !== null) ?? null;
  const said = lines.map(textIn).findLast((found) => found !== null);
  return { text: (said ?? printed).trim(), response: usage === null ? null : { usage } };
}

function objectIn(text: string): Record<string, unknown> | null {
  if (!text.trim().startsWith("{")) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function usageIn(object: Readonly<Record<string, unknown>>): unknown {
  const { usage, stats, tokens } = object;
  return [usage, stats, tokens].find((value) => typeof value === "object" && value !== null) ?? null;
}

function textIn(object: Readonly<Record<string, unknown>>): string | null {
  for (const key of TEXT_KEYS) {
    const value = object[key];
    if (typeof value === "string") return value;
  }
  const item = object["item"];
  return typeof item === "object" && item !== null ? textIn(item as Record<string, unknown>) : null;
}
