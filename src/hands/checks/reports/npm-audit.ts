import { z } from "zod";
import type { Finding, Severity } from "../../../model/settings/check.js";
import { jsonReports, type ReadReport, reportUnread, vulnerability } from "./report.js";

/* The output of `npm audit --json`, in the form npm has written since version 7. */

const Level = z.enum(["info", "low", "moderate", "high", "critical"]).catch("moderate");

const Advisory = z.object({
  source: z.union([z.number(), z.string()]).optional(),
  title: z.string().default(""),
  url: z.string().default(""),
  severity: Level,
  range: z.string().default(""),
});

const Report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      name: z.string(),
      severity: Level,
      via: z.array(z.union([z.string(), Advisory])),
      effects: z.array(z.string()).default([]),
      range: z.string().default(""),
      fixAvailable: z.union([z.boolean(), z.object({ name: z.string(), version: z.string() })]).default(false),
    }),
  ),
});
type Vulnerability = z.infer<typeof Report>["vulnerabilities"][string];

/** One finding for each advisory of each package; a package that only depends on such a one is listed with it. */
export const readNpmAudit: ReadReport = (text) => {
  const { documents, isCutOff } = jsonReports(text, '"auditReportVersion"');
  const reports = documents.map((value) => Report.safeParse(value).data ?? null).filter((each) => each !== null);
  if (reports.length === 0) return null;
  return [...reports.flatMap(findingsIn), ...reportUnread("npm audit", isCutOff ? 1 : 0, 0)];
};

function findingsIn({ vulnerabilities }: z.infer<typeof Report>): Finding[] {
  return Object.values(vulnerabilities).flatMap((found): Finding[] => {
    const advisories = found.via.flatMap((via) => (typeof via === "string" ? [] : [via]));
    const others = found.via.flatMap((via) => (typeof via === "string" ? [via] : []));
    const unknown = others.filter((name) => !Object.hasOwn(vulnerabilities, name));
    return [
      ...advisories.map((advisory) => ofAdvisory(found, advisory)),
      // Its dependency is not listed: then the package itself is.
      ...unknown.map((name) => makeFinding(found, name, found.severity, `through ${name}`)),
    ];
  });
}

function ofAdvisory(found: Vulnerability, { source, title, url, severity, range }: z.infer<typeof Advisory>): Finding {
  const id = /GHSA(?:-[a-z0-9]{4}){3}|CVE-\d{4}-\d+/i.exec(url)?.[0] ?? String(source ?? title);
  return makeFinding(
    found,
    id,
    severity,
    `${title}${range === "" ? "" : ` (${range})`}${url === "" ? "" : `, ${url}`}`,
  );
}

function makeFinding(
  { name, effects, fixAvailable }: Vulnerability,
  advisory: string,
  severity: z.infer<typeof Level>,
  message: string,
): Finding {
  const fix = typeof fixAvailable === "object" ? `${fixAvailable.name}@${fixAvailable.version}` : "npm audit fix";
  const lines = [
    message,
    ...(effects.length === 0 ? [] : [`also in ${effects.join(", ")}, which build on it`]),
    fixAvailable === false ? "no fix is available" : `mended by ${fix}`,
  ];
  return vulnerability(SEVERITIES[severity], {
    id: `npm:${name}:${advisory}`,
    name: `${name} ${advisory}`,
    message: lines.join("\n"),
    file: null,
    line: null,
    counts: severity !== "info",
  });
}

const SEVERITIES: Readonly<Record<z.infer<typeof Level>, Severity>> = {
  info: "info",
  low: "low",
  moderate: "medium",
  high: "high",
  critical: "critical",
};
