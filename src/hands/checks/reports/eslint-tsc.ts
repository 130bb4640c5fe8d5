import { z } from "zod";
import type { Finding } from "../../../model/settings/check.js";
import { jsonReports, problem, relative, reportUnread, type ReadReport } from "./report.js";

// ------------------------------------------------------------------------------------------------------------ eslint

const Eslint = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullable(),
        severity: z.number(),
        message: z.string(),
        line: z.number().nullish(),
      }),
    ),
  }),
);

/** ESLint's JSON. A warning does not fail there and does not here. */
export const readEslint: ReadReport = (text) => {
  const { documents, isCutOff } = jsonReports(text, '"filePath"', "[");
  const read = documents
    .map((value) => Eslint.safeParse(value))
    .flatMap(({ success, data }) => (success ? [data] : []));
  if (read.length === 0) return null;
  const found = read
    .flat()
    .flatMap(({ filePath, messages }) =>
      messages
        .filter(({ severity }) => severity >= 2)
        .map((m) => problem(filePath, m.ruleId ?? "syntax", m.message, m.line ?? null)),
    );
  return [...found, ...reportUnread("eslint", isCutOff ? 1 : 0, 0)];
};

const STYLISH = /^ +(\d+):\d+ +(error|warning) {2,}(.+?)(?: {2,}(\S+))?\s*$/;

/** Reads ESLint's output for people: a file, then its messages below it. */
export const readEslintText: ReadReport = (text) => {
  const counted = [...text.matchAll(/^✖ \d+ problems? \((\d+) errors?, \d+ warnings?\)/gm)].map(([, n]) => Number(n));
  if (counted.length === 0) return null;
  let file = "";
  const found = text.split("\n").flatMap((line): Finding[] => {
    const [, at, severity, message = "", rule = "syntax"] = STYLISH.exec(line) ?? [];
    if (at === undefined && /^\S/.test(line)) file = line.trim();
    return severity === "error" ? [problem(file, rule, message, Number(at))] : [];
  });
  return [
    ...found,
    ...reportUnread(
      "eslint",
      counted.reduce((sum, n) => sum + n, 0),
      found.length,
    ),
  ];
};

// --------------------------------------------------------------------------------------------------------------- tsc

const TSC = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/;
const TSC_PRETTY = /^(.+?):(\d+):\d+ - error (TS\d+): (.*)$/;

export const readTsc: ReadReport = (text) => {
  const found = text.split("\n").flatMap((line): Finding[] => {
    const match = TSC.exec(line) ?? TSC_PRETTY.exec(line);
    if (match !== null) return [problem(match[1] as string, match[3] as string, match[4] as string, Number(match[2]))];
    const global = /^error (TS\d+): (.*)$/.exec(line);
    return global === null ? [] : [problem(relative("tsconfig.json"), global[1] as string, global[2] as string, null)];
  });
  return found.length === 0 ? null : found;
};
