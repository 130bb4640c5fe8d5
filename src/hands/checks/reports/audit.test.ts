import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../../model/settings/check.js";
import { compare } from "../compare.js";
import { readReport } from "./read-report.js";

const advisory = (id: string, severity: string, title: string) => ({
  source: 1_096_000 + title.length,
  name: "lodash",
  dependency: "lodash",
  title,
  url: `https://github.com/advisories/${id}`,
  severity,
  cwe: ["CWE-77"],
  cvss: { score: 7.2, vectorString: "CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H" },
  range: "<4.17.21",
});
const INJECTION = advisory("GHSA-35jh-r3h4-6jhm", "high", "Command Injection in lodash");
const SLOW = advisory("GHSA-29mw-wpgm-hmr9", "moderate", "Regular Expression Denial of Service in lodash");

function npmAudit(...via: readonly object[]): string {
  const metadata = { vulnerabilities: { total: via.length }, dependencies: { prod: 3, total: 3 } };
  const lodash = {
    name: "lodash",
    severity: "high",
    isDirect: false,
    via,
    effects: ["tables"],
    range: "<=4.17.20",
    nodes: ["node_modules/lodash"],
    fixAvailable: { name: "tables", version: "3.0.0", isSemVerMajor: true },
  };
  const tables = { ...lodash, name: "tables", isDirect: true, via: ["lodash"], effects: [] };
  const vulnerabilities = via.length === 0 ? {} : { lodash, tables };
  return `npm warn config something\n${JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata }, null, 2)}\n`;
}

function sarif(...results: readonly object[]): string {
  const rules = [
    {
      id: "js/sql-injection",
      shortDescription: { text: "Query built from user input" },
      defaultConfiguration: { level: "error" },
      properties: { "security-severity": "9.1" },
    },
    { id: "js/todo", messageStrings: { default: { text: "{0} is left to do" } } },
  ];
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return JSON.stringify({ $schema, version: "2.1.0", runs: [{ tool: { driver: { name: "scan", rules } }, results }] });
}
const at = (uri: string, startLine: number) => [
  { physicalLocation: { artifactLocation: { uri, uriBaseId: "%SRCROOT%" }, region: { startLine } } },
];
const INJECTED = { ruleId: "js/sql-injection", ruleIndex: 0, message: { text: "Query from a parameter." } };

const audit = (text: string, exit_code: number): CheckResult => ({
  check: "audit",
  kind: "audit",
  command: "npm audit --json",
  tree: "t",
  exit_code,
  ended: "exited",
  ...readReport(text, "auto"),
  output: text,
  output_sha256: "",
});
const against = (before: CheckResult, after: CheckResult) =>
  compare({
    baseline: [before],
    results: [after],
    again: [after],
    changed_files: 1,
    changes_due: true,
    blocked: [],
    may_go: [],
    lifted: [],
    security: [],
    objections: [],
    accepted: [],
  });

describe("what audits report, finding by finding", () => {
  it("reads npm audit: each advisory of each package with its severity, what builds on it told with it", () => {
    const { format, findings } = readReport(npmAudit(INJECTION, SLOW), "auto");
    expect(format).toBe("npm_audit");
    expect(findings).toMatchObject([
      {
        id: "problem:npm:lodash:GHSA-35jh-r3h4-6jhm",
        name: "lodash GHSA-35jh-r3h4-6jhm (high)",
        severity: "high",
        status: "failed",
      },
      { name: "lodash GHSA-29mw-wpgm-hmr9 (medium)", severity: "medium", status: "failed" },
    ]);
    expect(findings[0]?.message).toMatch(/^Command Injection in lodash \(<4\.17\.21\), https:.*\nalso in tables/);
    expect(readReport(npmAudit(), "auto")).toEqual({ format: "npm_audit", findings: [] });
  });

  it("does not take an audit that could not be made, or half a report, for one without findings", () => {
    expect(readReport('{\n  "error": { "code": "ENOLOCK", "summary": "needs a lockfile" }\n}', "auto").format).toBe(
      "exit_code",
    );
    expect(readReport(npmAudit(INJECTION).slice(0, 300), "npm_audit").format).toBe("exit_code");
    expect(readReport(sarif(INJECTED).slice(0, 200), "sarif").format).toBe("exit_code");
  });

  it("reads SARIF: rules, levels and scores, messages with places, and leaves out what was suppressed or is gone", () => {
    const { format, findings } = readReport(
      sarif(
        { ...INJECTED, locations: at("src/db%20layer.js", 12) },
        { rule: { index: 1 }, level: "note", message: { id: "default", arguments: ["Paging"] } },
        { ...INJECTED, locations: at("file:///ws/src/old.js", 3), suppressions: [{ kind: "inSource" }] },
        { ...INJECTED, locations: at("src/gone.js", 3), baselineState: "absent" },
        { ruleId: "unlisted", kind: "review", message: { text: "Have a look." } },
      ),
      "auto",
    );
    expect(format).toBe("sarif");
    expect(findings.map(({ status, name, file, line }) => [status, name, file, line])).toEqual([
      ["failed", "src/db layer.js js/sql-injection (critical)", "src/db layer.js", 12],
      ["skipped", "js/todo (low)", null, null],
      ["skipped", "src/old.js js/sql-injection (critical)", "src/old.js", 3],
      ["skipped", "unlisted (info)", null, null],
    ]);
    expect(findings[1]?.message).toBe("Paging is left to do");
  });

  it("holds each against the base: what was there is tolerated, what is new fails, what is gone is fixed", () => {
    const worse = against(audit(npmAudit(SLOW), 1), audit(npmAudit(INJECTION, SLOW), 1));
    expect(worse).toMatchObject({
      verdict: "FAIL",
      regressions: [{ finding: { severity: "high" } }],
      pre_existing: [{ finding: { severity: "medium" } }],
      security: [{ kind: "audit", rule_id: "audit", reason: expect.stringContaining("(high)") as unknown }],
    });
    const better = against(audit(npmAudit(INJECTION, SLOW), 1), audit(npmAudit(SLOW), 1));
    expect(better).toMatchObject({
      verdict: "PASS",
      fixed: [{ finding: { severity: "high" } }],
      security: [],
      objections: [],
      accepted: [],
    });
    const moved = (line: number) => audit(sarif({ ...INJECTED, locations: at("src/db.js", line) }), 0);
    expect(against(moved(3), moved(40)), "only its line moved").toMatchObject({ verdict: "PASS", regressions: [] });
  });
});
