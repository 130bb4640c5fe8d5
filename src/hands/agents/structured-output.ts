import { z } from "zod";
import { jsonOrUndefined } from "../../foundation/documents/json-or-undefined.js";

/*
 * A final answer that must be JSON. Models wrap it in prose and code fences; it is found wherever it stands, and what
 * does not match is malformed output, with every problem named.
 */

export type StructuredOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Contract: never throws, whatever the text. A schema that cannot be used is a malformed answer too, and says so. */
export function readStructured(
  output: string,
  schema: z.ZodType | Readonly<Record<string, unknown>>,
): StructuredOutput {
  const type = schema instanceof z.ZodType ? schema : typeOf(schema);
  if (typeof type === "string") return { ok: false, message: type };
  let problem = "there is no JSON in the answer";
  // The last value that matches is the answer: earlier ones are examples and drafts.
  for (const candidate of candidates(output).reverse()) {
    const parsed = type.safeParse(candidate);
    if (parsed.success) return { ok: true, value: parsed.data };
    if (problem.startsWith("there is no"))
      problem = parsed.error.issues
        .slice(0, 10)
        .map(({ path, message }) => `${path.length === 0 ? "the answer" : path.join(".")}: ${message}`)
        .join("; ");
  }
  return { ok: false, message: problem };
}

function typeOf(schema: Readonly<Record<string, unknown>>): z.ZodType | string {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    return `the schema of the answer cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*(\w*)[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;

/** Everything in a text that is JSON: the whole, each fenced block, then each outermost object or list. */
function candidates(text: string): unknown[] {
  const found: unknown[] = [];
  const take = (piece: string) => {
    const value = jsonOrUndefined(piece);
    if (value !== undefined) found.push(value);
  };
  const fenced = [...text.matchAll(FENCE)].map(([, , , body = ""]) => body);
  for (const piece of bareJson(text)) take(piece);
  for (const body of fenced) take(body);
  take(text);
  return found;
}

/** Outermost `{…}` and `[…]`, brackets inside strings aside. One pass, so a flood of brackets costs no more. */
function bareJson(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (inString) {
      if (sign === "\\") i++;
      else if (sign === '"' || sign === "\n") inString = false;
    } else if (sign === '"' && depth > 0) inString = true;
    else if (sign === "{" || sign === "[") {
      if (depth++ === 0) from = i;
    } else if ((sign === "}" || sign === "]") && depth > 0 && --depth === 0) pieces.push(text.slice(from, i + 1));
  }
  return pieces;
}
