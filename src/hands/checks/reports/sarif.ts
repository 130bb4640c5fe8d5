import { z } from "zod";
import type { Finding, Severity } from "../../../model/settings/check.js";
import { jsonReports, type ReadReport, relative, reportUnread, vulnerability, withoutPlaces } from "./report.js";

/* SARIF 2.1.0, which many scanners of code write. */

const Level = z.enum(["error", "warning", "note", "none"]);
const Text = z.object({ text: z.string().default("") });
const Properties = z.record(z.string(), z.unknown()).optional();

const Rule = z.object({
  id: z.string(),
  shortDescription: Text.optional(),
  messageStrings: z.record(z.string(), Text).default({}),
  defaultConfiguration: z.object({ level: Level.optional() }).optional(),
  properties: Properties,
});

const Result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.int().optional(),
  rule: z.object({ id: z.string().optional(), index: z.int().optional() }).optional(),
  kind: z.string().default("fail"),
  level: Level.optional(),
  message: z.object({
    text: z.string().optional(),
    id: z.string().optional(),
    arguments: z.array(z.string()).default([]),
  }),
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: z.object({ uri: z.string().optional() }).optional(),
            region: z.object({ startLine: z.int().optional() }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  baselineState: z.string().optional(),
  suppressions: z.array(z.object({ status: z.string().optional() })).default([]),
  properties: Properties,
});

const Run = z.object({
  tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(Rule).default([]) }) }),
  results: z.array(Result).nullish(),
});

const Report = z.object({ version: z.string().startsWith("2.1"), runs: z.array(Run) });

export const readSarif: ReadReport = (text) => {
  const { documents, isCutOff } = jsonReports(text, '"runs"');
  const runs = documents.map((value) => Report.safeParse(value).data?.runs ?? null).filter((each) => each !== null);
  if (runs.length === 0) return null;
  const found = runs.flat().flatMap(({ tool, results }) =>
    // A problem that the scanner reports as gone is not a finding.
    (results ?? [])
      .filter(({ baselineState }) => baselineState !== "absent")
      .map((result) => findingOf(result, tool.driver)),
  );
  return [...found, ...reportUnread("SARIF", isCutOff ? 1 : 0, 0)];
};

type Driver = z.infer<typeof Run>["tool"]["driver"];

function findingOf(result: z.infer<typeof Result>, { name: tool, rules }: Driver): Finding {
  const named = result.ruleId ?? result.rule?.id;
  const index = result.ruleIndex ?? result.rule?.index ?? -1;
  const rule = rules.find(({ id }) => id === named) ?? (named === undefined ? rules[index] : undefined);
  const ruleId = named ?? rule?.id ?? tool;
  const place = result.locations[0]?.physicalLocation;
  const file = place?.artifactLocation?.uri === undefined ? null : pathOf(place.artifactLocation.uri);
  const message = messageOf(result.message, rule);
  const level = result.kind === "fail" ? (result.level ?? rule?.defaultConfiguration?.level ?? "warning") : "none";
  const suppressed = result.suppressions.some(({ status = "accepted" }) => status === "accepted");
  return vulnerability(severityOf(level, result.properties ?? {}, rule?.properties ?? {}), {
    id: `${file ?? ""}:${ruleId}:${withoutPlaces(message)}`,
    name: file === null ? ruleId : `${file} ${ruleId}`,
    message,
    file,
    line: place?.region?.startLine ?? null,
    counts: (level === "error" || level === "warning") && !suppressed,
  });
}

/** A message may be a form of the rule with its places filled in. */
function messageOf(message: z.infer<typeof Result>["message"], rule: z.infer<typeof Rule> | undefined): string {
  const form = message.text ?? rule?.messageStrings[message.id ?? ""]?.text ?? rule?.shortDescription?.text ?? "";
  return form.replaceAll(/\{(\d{1,2})\}/g, (all, i: string) => message.arguments[Number(i)] ?? all);
}

/** By the score many scanners give beside the level, from 0 to 10; else by the level. */
function severityOf(level: z.infer<typeof Level>, ...properties: readonly Record<string, unknown>[]): Severity {
  for (const each of properties) {
    const given = each["security-severity"];
    const score = typeof given === "string" || typeof given === "number" ? Number(given) : Number.NaN;
    if (Number.isNaN(score)) continue;
    return score >= 9 ? "critical" : score >= 7 ? "high" : score >= 4 ? "medium" : score > 0 ? "low" : "info";
  }
  return ({ error: "high", warning: "medium", note: "low", none: "info" } as const)[level];
}

function pathOf(uri: string): string {
  const path = uri.replace(/^file:(?:\/\/[^/]*)?(?=\/)/, "");
  try {
    return relative(decodeURIComponent(path));
  } catch {
    return relative(path);
  }
}
