import { z } from "zod";
import type { Finding } from "../../../model/settings/check.js";
import { jsonReports, problem, reportUnread, type ReadReport } from "./report.js";

/* Reports that linters write for programs. Only what makes the program fail is a finding. */

type Findings = readonly Finding[];

interface Form {
  readonly program: string;
  /** A text that is in every document of this format. */
  readonly mark: string;
  readonly opening: "{" | "[";
  readonly shape: z.ZodType<Findings>;
}

const ruff = z
  .array(
    z.object({
      filename: z.string(),
      code: z.string().nullable(),
      message: z.string(),
      location: z.object({ row: z.int() }),
    }),
  )
  .transform((all) => all.map((m) => problem(m.filename, m.code ?? "invalid-syntax", m.message, m.location.row)));

const comments = z
  .array(z.object({ file: z.string(), line: z.int(), level: z.string(), code: z.int(), message: z.string() }))
  .transform((all) => all.map((m) => problem(m.file, `SC${m.code}`, m.message, m.line)));

const pyright = z
  .object({
    generalDiagnostics: z.array(
      z.object({
        file: z.string(),
        severity: z.string(),
        message: z.string(),
        rule: z.string().optional(),
        range: z.object({ start: z.object({ line: z.int() }) }).optional(),
      }),
    ),
  })
  .transform(({ generalDiagnostics }) =>
    generalDiagnostics
      .filter(({ severity }) => severity === "error")
      // It counts lines from 0 here and from 1 in words.
      .map((m) => problem(m.file, m.rule ?? "error", m.message, m.range === undefined ? null : m.range.start.line + 1)),
  );

const golangci = z
  .object({
    Issues: z
      .array(
        z.object({
          FromLinter: z.string(),
          Text: z.string(),
          Pos: z.object({ Filename: z.string(), Line: z.int() }),
        }),
      )
      .nullable(),
  })
  .transform(({ Issues }) => (Issues ?? []).map((m) => problem(m.Pos.Filename, m.FromLinter, m.Text, m.Pos.Line)));

const rubocop = z
  .object({
    files: z.array(
      z.object({
        path: z.string(),
        offenses: z.array(
          z.object({
            severity: z.string(),
            message: z.string(),
            cop_name: z.string(),
            corrected: z.boolean().optional(),
            location: z.object({ line: z.int().optional(), start_line: z.int().optional() }),
          }),
        ),
      }),
    ),
  })
  .transform(({ files }) =>
    files.flatMap(({ path, offenses }) =>
      offenses
        .filter(({ severity, corrected }) => severity !== "info" && corrected !== true)
        .map((m) => problem(path, m.cop_name, m.message, m.location.start_line ?? m.location.line ?? null)),
    ),
  );

const FORMS: readonly Form[] = [
  { program: "ruff", mark: '"filename"', opening: "[", shape: ruff },
  { program: "shellcheck", mark: '"level"', opening: "[", shape: comments },
  {
    program: "shellcheck",
    mark: '"comments"',
    opening: "{",
    shape: z.object({ comments }).transform((all) => all.comments),
  },
  { program: "pyright", mark: '"generalDiagnostics"', opening: "{", shape: pyright },
  { program: "golangci-lint", mark: '"FromLinter"', opening: "{", shape: golangci },
  { program: "rubocop", mark: '"offenses"', opening: "{", shape: rubocop },
];

const Mypy = z.object({
  file: z.string(),
  line: z.int(),
  message: z.string(),
  code: z.string().nullable(),
  severity: z.enum(["error", "note"]),
});

/** mypy writes one object a line. */
function mypyLines(text: string): Finding[] | null {
  const read = text.split("\n").flatMap((line): z.infer<typeof Mypy>[] => {
    if (!line.startsWith('{"file":')) return [];
    try {
      const { data } = Mypy.safeParse(JSON.parse(line));
      return data === undefined ? [] : [data];
    } catch {
      return [];
    }
  });
  if (read.length === 0) return null;
  return read
    .filter(({ severity }) => severity === "error")
    .map((m) => problem(m.file, m.code ?? "error", m.message, m.line));
}

export const readLintJson: ReadReport = (text) => {
  const found: Finding[] = [];
  let isOne = false;
  for (const { program, mark, opening, shape } of FORMS) {
    const { documents, isCutOff } = jsonReports(text, mark, opening);
    const read = documents.flatMap((value) => {
      const { success, data } = shape.safeParse(value);
      return success ? [data] : [];
    });
    if (read.length === 0) continue;
    isOne = true;
    found.push(...read.flat(), ...reportUnread(program, isCutOff ? 1 : 0, 0));
  }
  const lines = mypyLines(text);
  return isOne || lines !== null ? [...found, ...(lines ?? [])] : null;
};
