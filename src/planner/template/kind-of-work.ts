import type { Approach, IntakeDecision } from "../../model/request.js";

/** What a request is, as far as its template is concerned. */
export type KindOfWork =
  | "feature"
  | "new_project"
  | "bugfix"
  | "vulnerability"
  | "refactoring"
  | "tests"
  | "docs"
  | "research"
  | "dependencies"
  | "pipelines"
  | "infrastructure"
  | "migration"
  | "release";

const DEPENDENCIES =
  /\b(?:dependenc(?:y|ies)|dependabot|renovate|lockfiles?|outdated packages?|npm packages?|package versions?|peer deps?|dev ?deps)\b/i;
const RAISES = /\b(?:updat|upgrad|bump|rais|pin|renew|refresh)/i;
const PIPELINES =
  /\b(?:ci|ci\/cd|continuous integration|github actions?|gitlab[ -]ci|jenkins(?:file)?|build pipelines?|pipelines?|workflow file)\b/i;
const INFRASTRUCTURE =
  /\b(?:terraform|kubernetes|k8s|helm(?: chart)?|docker(?:file| compose|-compose)?|ansible|pulumi|cloudformation|infrastructure as code|load balancer)\b/i;
const STORED_DATA =
  /\b(?:database|schemas?|tables?|columns?|rows?|indexes|records? in the|stored data|postgres\w*|mysql|sqlite|mongo\w*)\b/i;
const VULNERABILITY =
  /\b(?:vulnerabilit(?:y|ies)|cve-\d{4}-\d+|xss|csrf|sql injection|path traversal|security (?:hole|bug|flaw|issue))\b/i;

const TESTS = /^\W*(?:please )?(?:write|add|create|extend)\s+(?:[\w-]+\s+){0,3}tests?\s+(?:for|of|that|to)\b/i;

const BY_APPROACH: Readonly<Record<Approach, KindOfWork>> = {
  new_project: "new_project",
  enhancement: "feature",
  fix: "bugfix",
  refactor: "refactoring",
  research: "research",
  docs: "docs",
  test: "tests",
  migration: "refactoring",
  release: "release",
};

/** Contract: pure and total. Intake's approach decides; its words only choose among templates of that approach. */
export function kindOfWork({ approach }: Pick<IntakeDecision, "approach">, text: string): KindOfWork {
  const kind = approach === null ? "feature" : BY_APPROACH[approach];
  switch (kind) {
    case "bugfix":
      if (PIPELINES.test(text)) return "pipelines";
      return VULNERABILITY.test(text) ? "vulnerability" : kind;
    case "refactoring":
      if (approach !== "migration") return kind;
      if (DEPENDENCIES.test(text)) return "dependencies";
      return STORED_DATA.test(text) ? "migration" : kind;
    case "feature":
      if (TESTS.test(text)) return "tests";
      if (DEPENDENCIES.test(text) && RAISES.test(text)) return "dependencies";
      if (PIPELINES.test(text)) return "pipelines";
      return INFRASTRUCTURE.test(text) ? "infrastructure" : kind;
    default:
      return kind;
  }
}
