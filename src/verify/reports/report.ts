import type { Finding, Severity } from "../../model/check.js";

/** Contract: pure. Null when the text is not of this form; what is cut off is read as far as it goes. */
export type ReadReport = (text: string) => Finding[] | null;

/** The most of a message that is kept: enough to see what is wrong. */
const MESSAGE = 2000;

export function test(
  name: string,
  status: Finding["status"],
  about: { message?: string; file?: string | null; line?: number | null } = {},
): Finding {
  return {
    id: `test:${name}`,
    name,
    status,
    message: clip(about.message ?? ""),
    file: about.file ?? null,
    line: about.line ?? null,
  };
}

/** A message of a compiler or linter. Lines are left out of its id: they move when somebody writes above them. */
export function problem(file: string, code: string, message: string, line: number | null): Finding {
  const path = relative(file);
  return {
    id: `problem:${path}:${code}:${message.replaceAll(/\s+/g, " ").trim()}`,
    name: `${path}${code === "" ? "" : ` ${code}`}`,
    status: "failed",
    message: clip(message),
    file: path,
    line,
  };
}

/** Workspaces differ in where they stand; what they hold is named from their root. */
export function relative(file: string, root = "/ws"): string {
  return file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file.replace(/^\.\//, "");
}

/** The JSON document with this in it; it may stand between other lines. Contract: total; null when there is none. */
export function jsonIn(text: string, mark: string): unknown {
  const begin = text.search(/^\{/m);
  const end = text.lastIndexOf("}");
  if (begin < 0 || end < begin || !text.includes(mark)) return null;
  try {
    return JSON.parse(text.slice(begin, end + 1));
  } catch {
    return null;
  }
}

/** One thing a scanner found. Its severity is told and is no part of its id: scanners change their minds about it. */
export function vulnerability(
  severity: Severity,
  about: { id: string; name: string; message: string; file: string | null; line: number | null; counts: boolean },
): Finding {
  const { id, name, message, file, line, counts } = about;
  return {
    id: `problem:${id}`,
    name: `${name} (${severity})`,
    status: counts ? "failed" : "skipped",
    message: clip(message),
    file,
    line,
    severity,
  };
}

function clip(message: string): string {
  const clean = message.trimEnd();
  return clean.length <= MESSAGE ? clean : `${clean.slice(0, MESSAGE)}…`;
}
