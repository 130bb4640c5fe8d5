import type { z } from "zod";

/** One problem of an input, for people and programs: what, where, and how to mend it. */
export interface Diagnostic {
  /** Stable and documented in docs/errors; programs compare this and never the message. */
  readonly code: string;
  readonly message: string;
  /** Where in the document: a path such as `planned_commands[2].effects`, empty for the document itself. */
  readonly path: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly fix?: string;
}

/** `planned_commands[2].effects`: how a person writes a place in a document. */
export function documentPath(segments: readonly PropertyKey[]): string {
  let path = "";
  for (const segment of segments) {
    if (typeof segment === "number") path += `[${segment}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(segment))) path += path === "" ? String(segment) : `.${String(segment)}`;
    else path += `[${JSON.stringify(String(segment))}]`;
  }
  return path;
}

/** Every problem a schema found, flat, in document order, unknown keys named one by one. */
export function diagnosticsOf(error: z.ZodError, code: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const issue of error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        found.push({ code, path: documentPath([...issue.path, key]), message: "is not a field of this document" });
    } else {
      found.push({ code, path: documentPath(issue.path), message: lowerFirst(issue.message) });
    }
  }
  return found;
}

function lowerFirst(message: string): string {
  return /^[A-Z][a-z]/.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
}
