import type { Approach, IntakeDecision } from "../../../model/request.js";
import { titlePrefixOf } from "../../../foundation/text/said-names.js";

/** The kind of a request, as far as its template is concerned. */
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
  /\b(?:dependenc(?:y|ies)|dependabot|renovate|lockfiles?|deps|outdated packages?|npm packages?|package versions?|peer deps?|dev ?deps)\b/i;
const RAISES = /\b(?:updat|upgrad|bump|rais|pin|renew|refresh)/i;
const PIPELINES =
  /\b(?:ci|ci\/cd|continuous integration|github actions?|gitlab[ -]ci|jenkins(?:file)?|build pipelines?|pipelines?|workflow file|gha|actions\/[a-z][\w-]*|(?:ci|pr|release|test|tests|lint|stale|build|publish) workflows?)\b/i;
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
  const title = text.trimStart().split(/\r?\n/, 1)[0] ?? "";
  const prefix = titlePrefixOf(text)?.type ?? null;
  switch (kind) {
    case "bugfix":
      if (prefix === "ci" || PIPELINES.test(text)) return "pipelines";
      if (VULNERABILITY.test(text)) return "vulnerability";
      return isAboutPages(title) ? "docs" : kind;
    case "refactoring":
      if (prefix === "ci") return "pipelines";
      if (approach !== "migration") return kind;
      if (DEPENDENCIES.test(text)) return "dependencies";
      return STORED_DATA.test(text) ? "migration" : kind;
    case "feature":
      if (TESTS.test(text)) return "tests";
      if (DEPENDENCIES.test(text) && RAISES.test(text)) return "dependencies";
      if (prefix === "ci" || PIPELINES.test(text)) return "pipelines";
      return INFRASTRUCTURE.test(text) ? "infrastructure" : kind;
    case "tests":
      return prefix === "test" || prefix === "tests" || LEADS_WITH_TESTS.test(withoutPrefix(title)) ? kind : "feature";
    case "docs":
      return prefix === "docs" || prefix === "doc" || PAGE_WORDS.test(firstClause(title)) ? kind : "feature";
    case "research":
      return CHANGES.test(withoutPrefix(title)) ? "feature" : kind;
    default:
      return kind;
  }
}

/** "Remove the benchmarks" asks for a change, whatever else it speaks of. */
const CHANGES =
  /^\W*(?:add|change|delete|disable|drop|enable|exclude|fix|improve|make|move|optimi[sz]e|raise|refactor|remove|rename|replace|simplify|skip|speed up|split|switch|update|use)\b/i;

/** "Collect variadic with push, add tests" is not only about tests: what comes first is what is asked for. */
const LEADS_WITH_TESTS = /^\W*(?:(?!and\b)[\w-]+\s+){0,4}(?:tests?|specs?|test coverage|coverage)\b/i;
const PAGE_WORDS =
  /\b(?:docs?|documentation|documents?|documented|documenting|readme|changelogs?|guides?|typos?|comments?|javadoc|docstrings?|tutorials?|explain|describe|clarify|faq|wording|grammar|spelling|release notes|manual|page|wiki|handbook|adr|runbook)\b/i;
const PAGE = "(?:readme|changelog|docs|documentation|guide|faq|tutorial)(?:\\.\\w+)?";
const FIXED_PAGE = new RegExp(
  `^(?:fix|fixes|fixed|correct|update|improve|tweak)\\s+(?:the\\s+|minor\\s+|some\\s+|a\\s+)*${PAGE}\\b|` +
    `\\b(?:in|of)\\s+(?:the\\s+)?\`?${PAGE}\`?(?=\\s+file\\b|\\s*[.,(]|\\s*$)|` +
    `\\b${PAGE}\\s+(?:section|formatting|example|typo|link|badge|wording)s?\\b`,
  "i",
);
/** A program that reads or makes pages is not a page. */
const OF_A_PROGRAM =
  /\b(?:crash\w*|throw\w*|exceptions?|fail(?:s|ing|ed|ure)?|pars(?:e|es|ing|er)|render\w*|generat\w*|builds?|tests?)\b/i;

/** Whether a defect is one of a page: its title says that what is wrong is written there. */
function isAboutPages(title: string): boolean {
  const said = withoutPrefix(title);
  return FIXED_PAGE.test(said) && !OF_A_PROGRAM.test(said);
}

const FIXES = /^\W*(?:fix|correct|repair|resolve|solve)\w*\b/i;
const WRITES_A_PAGE = /^\W*(?:document|describe|explain|mention)\b/i;
const CODE = new Set<KindOfWork>(["feature", "bugfix", "refactoring"]);

/** Decides the kind of one point of a list: a point about a page is not work on code, and the other way round. Contract: pure. */
export function kindOfPoint(point: string, whole: KindOfWork): KindOfWork {
  if (whole !== "docs" && !CODE.has(whole)) return whole;
  const clause = firstClause(point);
  if (WRITES_A_PAGE.test(clause) || isAboutPages(point)) return "docs";
  if (whole !== "docs" || PAGE_WORDS.test(clause)) return whole;
  return FIXES.test(clause) ? "bugfix" : "feature";
}

function withoutPrefix(title: string): string {
  return title.replace(/^\[?[\w@./-]{2,60}(?:\([^()]{1,80}\))?\]?!?:\s+/, "");
}

function firstClause(title: string): string {
  return withoutPrefix(title).split(/,| and /i, 1)[0] ?? "";
}
