import { z } from "zod";
import { type HostHttp, invalidAnswer } from "./host-http.js";

/* Calls of a host whose answers are read as its description says. */

/** A value that may be missing or null. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

export interface TypedCalls {
  readonly read: <T>(path: string, schema: z.ZodType<T>) => Promise<T>;
  readonly list: <T>(path: string, schema: z.ZodType<T>) => Promise<readonly T[]>;
  readonly write: <T>(
    method: "POST" | "PATCH" | "PUT",
    path: string,
    body: unknown,
    schema: z.ZodType<T>,
  ) => Promise<T>;
}

export function typedCalls(server: string, http: HostHttp): TypedCalls {
  return {
    read: async (path, schema) => parseAnswer(schema, (await http.get(path)).value, `GET ${path}`, server),
    list: async (path, schema) => (await http.list(path)).map((one) => parseAnswer(schema, one, `GET ${path}`, server)),
    write: async (method, path, body, schema) =>
      parseAnswer(schema, (await http.write(method, path, body)).value, `${method} ${path}`, server),
  };
}

/** An answer, read as it is described. Contract: throws CODE_HOST_REFUSED for one that is not so. */
export function parseAnswer<T>(schema: z.ZodType<T>, value: unknown, what: string, server: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw invalidAnswer(server, what, `${first?.path.join(".") ?? ""}: ${first?.message ?? ""}`);
}
