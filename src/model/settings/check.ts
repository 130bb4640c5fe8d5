import { z } from "zod";
import { text } from "../primitives.js";
import { SecurityKind } from "../plan/registry.js";
import { Objection, Verdict } from "../run.js";

/*
 * A check is a command of the project with a result. Its result is read down to single tests and messages where the
 * program prints them in a known form, so that a result can be compared with the same check on the base: what was
 * broken before is told apart from what broke now.
 */

export const ReportFormat = z.enum([
  "auto",
  "tap",
  "spec",
  "junit",
  "jest",
  "pytest",
  "unittest",
  "go",
  "cargo",
  "eslint",
  "tsc",
  "lint",
  "npm_audit",
  "sarif",
  "exit_code",
]);
export type ReportFormat = z.infer<typeof ReportFormat>;

export const Check = z.strictObject({
  name: text(1, 80),
  kind: z.enum(["test", "lint", "types", "build", "audit", "other"]).default("other"),
  run: text(1, 4096).describe("A command line for `sh`, run at the root of the workspace."),
  report: z
    .strictObject({
      format: ReportFormat.default("auto"),
      file: text(1, 1024)
        .optional()
        .describe(
          "Where the program writes its report; what it prints when absent. Many files: `**/target/surefire-reports/TEST-*.xml`.",
        ),
    })
    .prefault({}),
  minutes: z.number().min(0.01).max(1440).default(15),
});
export type Check = z.infer<typeof Check>;

/** How grave something is that a scanner found, in words all of them are put into. */
export const Severity = z.enum(["critical", "high", "medium", "low", "info"]);
export type Severity = z.infer<typeof Severity>;

/** One test, or one message of a compiler, a linter or a scanner. The id is the same when only lines moved. */
export const Finding = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(["passed", "failed", "skipped"]),
  message: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  severity: Severity.optional().describe("Of what a scanner found."),
});
export type Finding = z.infer<typeof Finding>;

export const CheckResult = z.strictObject({
  check: z.string(),
  kind: Check.shape.kind,
  command: z.string(),
  /** The tree it ran on. */
  tree: z.string(),
  exit_code: z.int().nullable(),
  ended: z.enum(["exited", "timed_out", "killed", "not_started"]),
  /** The format that the output was read as; `exit_code` when nothing better was known. */
  format: ReportFormat.exclude(["auto"]),
  findings: z.array(Finding),
  /** The end of what it printed. */
  output: z.string(),
  output_sha256: z.string(),
  /** Files a report of coverage names that it wrote, and whether any line of them ran. */
  coverage: z.array(z.strictObject({ file: z.string(), hit: z.boolean() })).optional(),
  /** Why the environment could not be made ready: then the check did not run, and nothing is said of the tree. */
  unready: z.string().optional(),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** One thing of the comparison with the base: which check, which test or message. */
const Compared = z.strictObject({ check: z.string(), finding: Finding });
export type Compared = z.infer<typeof Compared>;

/** A missing test that a person waived for this result. */
const LetGo = Compared.extend({ by: z.string() });

/** One finding of security: what a rule saw in the change, or what the project's own audit found that was not there. */
export const SecurityFinding = z.strictObject({
  kind: SecurityKind,
  /** block keeps the result from passing; warn is told. */
  severity: z.enum(["block", "warn"]),
  /** The rule, or the check. */
  rule_id: z.string(),
  path: z.string().nullable(),
  line: z.int().nullable(),
  reason: z.string(),
});
export type SecurityFinding = z.infer<typeof SecurityFinding>;

/** The proof of a result by one check: it ran on the base or on the result, and something passed. */
export const ProvenBy = z.strictObject({
  check: z.string(),
  kind: Check.shape.kind,
  /** Tests that passed on the result; 0 for a check that says nothing but how it ended. */
  passed: z.int().min(0),
  /** Tests and messages that failed on the base already. */
  failed_before: z.int().min(0),
  /** Files and packages that could not be loaded, before as now: what they hold did not run. */
  uncollected: z.array(z.string()).default([]),
});
export type ProvenBy = z.infer<typeof ProvenBy>;

/** An objection that a person waived, and who did. `not_applicable`: the check does not count for the run, and was not run. */
export const AcceptedObjection = Objection.extend({ by: z.string(), not_applicable: z.boolean().default(false) });
export type AcceptedObjection = z.infer<typeof AcceptedObjection>;

export const VerdictReport = z.strictObject({
  verdict: Verdict,
  /** Every reason that kept it from PASS, for people; empty for PASS. */
  reasons: z.array(z.string()),
  regressions: z.array(Compared),
  pre_existing: z.array(Compared),
  fixed: z.array(Compared),
  flaky: z.array(Compared),
  /** Tests that ran on the base and do not any more. */
  missing: z.array(Compared),
  /** The missing tests that a person waived, and who did: they keep nothing from passing. */
  let_go: z.array(LetGo).default([]),
  /** Apart from everything else, waived or not: anyone who looks for security need not read the rest. */
  security: z.array(SecurityFinding).default([]),
  /** Guardrails that a person waived at a path, for this result, and who did. */
  lifted: z.array(z.strictObject({ rule_id: z.string(), path: z.string(), by: z.string() })).default([]),
  /** The checks that prove the result; empty in reports of earlier versions. */
  proven_by: z.array(ProvenBy).default([]),
  /** The objections that hold the result and that a person may waive. */
  objections: z.array(Objection).default([]),
  /** The objections that a person waived: the result stands without them, and everything that reports it says so. */
  accepted: z.array(AcceptedObjection).default([]),
  /** Changed files that no check is known to touch. */
  unreached: z.array(z.string()).default([]),
  /** Of a task that changed nothing: what shows that an earlier task of the run did its work. */
  already_done: z.string().optional(),
  /** Observations beside the checks, which hold nothing, and things that no check can see. */
  notes: z.array(z.string()).default([]),
  /** Of regressions: the last commit that was seen without them, and the first one with them. */
  since: z.strictObject({ passes: z.string(), fails: z.string() }).optional(),
  results: z.array(CheckResult),
});
export type VerdictReport = z.infer<typeof VerdictReport>;

/** More names than this nobody reads in a log; all of them stand in the record of the verdict. */
export const MOST_NAMED = 20;
const names = z.array(z.string().max(300)).max(MOST_NAMED);

/** The proof of a result, as the log has it. */
export const ProofSummary = z.strictObject({
  proven_by: z.array(ProvenBy.extend({ uncollected: names })).max(100),
  /** The objections that people waived. */
  accepted: z
    .array(AcceptedObjection.pick({ kind: true, id: true, message: true, by: true, not_applicable: true }))
    .max(100),
  /** The failures that the base had already, by name. */
  failed_before: names,
  /** Changed files that no check is known to touch. */
  unreached: names,
  /** Observations beside the checks, and things that none of them can see. Absent in logs of earlier versions. */
  notes: names.optional(),
});
export type ProofSummary = z.infer<typeof ProofSummary>;
