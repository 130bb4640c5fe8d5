import { z } from "zod";
import { text } from "../../model/primitives.js";

/** The short form of a request, `{id, text}`. Other fields are passed over: lists of requests often carry more. */
const ShortRequest = z.looseObject({ id: z.union([text(1, 256), z.int()]), text: z.string() });

export interface Short {
  readonly id: string;
  readonly text: string;
}

/**
 * A value that says `text` and none of the fields of the full form, as a short request. Null when it is not meant as
 * one.
 */
export function shortRequest(value: unknown, fullForm: readonly string[]): z.ZodSafeParseResult<Short> | null {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "text")) return null;
  if (fullForm.some((field) => Object.hasOwn(value, field))) return null;
  return ShortRequest.transform(({ id, text: words }) => ({ id: String(id), text: words })).safeParse(value);
}
