import { z } from "zod";
import type { Finding } from "../../../model/settings/check.js";
import { reportCutOff, problem, test, type ReadReport } from "./report.js";

/*
 * Cargo names the suites on one stream and tests print on the other, so where a name stands among the tests says
 * nothing. It runs them one after the other: the first name is that of the first suite, on whichever stream.
 */

const SUITE = /^\s+(?:Running (?:unittests )?(\S+)(?: \((?:.*[\\/])?(.+?)-[0-9a-f]{16}(?:\.exe)?\))?|Doc-tests (\S+))/;
const BEGIN = /^running \d+ tests?$/;
const POINT = /^test (.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (.*)$/;
const END = /^(ok|FAILED|ignored)\b/;

export const readCargo: ReadReport = (text) => {
  const lines = text.split("\n");
  const begun = lines.filter((line) => BEGIN.test(line)).length;
  const problems = [...rustProblems(lines), ...jsonProblems(lines)];
  if (begun === 0) return problems.length === 0 ? null : problems;
  const names = lines.flatMap((line) => suiteOf(line) ?? []);
  return [...testsIn(lines, names.length === begun ? names : [], panics(lines)), ...problems];
};

/** Two packages may have a file of the same name: the program it became has the package's. */
function suiteOf(line: string): string | null {
  const [all, file, program, documented] = SUITE.exec(line) ?? [];
  if (all === undefined) return null;
  if (documented !== undefined) return `doc ${documented}`;
  return program === undefined || (file ?? "").endsWith(`/${program}.rs`) ? (file ?? "") : `${program} ${file}`;
}

/** Contract: `names` are those of all suites in turn, or none at all. */
function testsIn(lines: readonly string[], names: readonly string[], panicked: ReadonlyMap<string, string>): Finding[] {
  const found: Finding[] = [];
  let suite = -1;
  let isOpen = false;
  // A test that prints what it likes pushes its end to a later line.
  let waiting: string | null = null;
  const nameOf = (own: string) => {
    const head = names[suite] ?? "";
    // Tests in documentation are named by their line, which moves.
    return `${head === "" ? "" : `${head} > `}${own.replace(/ \(line \d+\)$/, "")}`;
  };
  const end = (): Finding[] => (isOpen ? [reportCutOff(`cargo test ${names[suite] ?? ""}`.trim())] : []);
  for (const line of lines) {
    if (BEGIN.test(line)) {
      found.push(...end());
      suite++;
      isOpen = true;
    } else if (line.startsWith("test result: ")) isOpen = false;
    const point = POINT.exec(line);
    const own: string | null = point?.[1] ?? waiting;
    const ended = END.exec(point === null ? line : (point[2] as string))?.[1];
    waiting = ended === undefined ? own : null;
    if (own === null || ended === undefined) continue;
    const status = ended === "ok" ? "passed" : ended === "ignored" ? "skipped" : "failed";
    found.push(test(nameOf(own), status, { message: status === "failed" ? (panicked.get(own) ?? "") : "" }));
  }
  return [...found, ...end()];
}

/** Reads the output of each failed test, by its name; of two with one name the first. */
function panics(lines: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const name = /^---- (.+) stdout ----$/.exec(line)?.[1];
    if (name === undefined || found.has(name)) continue;
    const about = lines.slice(i + 1, i + 30);
    const end = about.findIndex((each) => each.startsWith("---- ") || each === "failures:");
    found.set(
      name,
      about
        .slice(0, end === -1 ? undefined : end)
        .join("\n")
        .trim(),
    );
  }
  return found;
}

/** Errors of the compiler and of Clippy, for people. Warnings fail nothing unless they are made errors. */
function rustProblems(lines: readonly string[]): Finding[] {
  return lines.flatMap((line, i): Finding[] => {
    const [, code, message] = /^error(?:\[(\w+)\])?: (.*)$/.exec(line) ?? [];
    if (message === undefined) return [];
    // A message may have several lines; its place follows.
    const next = lines.slice(i + 1, i + 6);
    const [, file, at] = /^\s*--> (.+?):(\d+):\d+/.exec(next.find((each) => /^\s*-->|^$/.test(each)) ?? "") ?? [];
    return file === undefined ? [] : [problem(file, code ?? "error", message, Number(at))];
  });
}

const Message = z.object({
  reason: z.literal("compiler-message"),
  message: z.object({
    level: z.string(),
    message: z.string(),
    code: z.object({ code: z.string() }).nullish(),
    spans: z.array(z.object({ file_name: z.string(), line_start: z.int(), is_primary: z.boolean() })).default([]),
  }),
});

/** Reads the output with `--message-format=json`, one object a line. */
function jsonProblems(lines: readonly string[]): Finding[] {
  return lines.flatMap((line): Finding[] => {
    if (!line.startsWith('{"reason":"compiler-message"')) return [];
    const { message } = messageIn(line) ?? {};
    if (message?.level.startsWith("error") !== true) return [];
    const at = message.spans.find(({ is_primary }) => is_primary);
    // "aborting due to …" has no place and says nothing of its own.
    return at === undefined
      ? []
      : [problem(at.file_name, message.code?.code ?? "error", message.message, at.line_start)];
  });
}

function messageIn(line: string): z.infer<typeof Message> | null {
  try {
    return Message.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
