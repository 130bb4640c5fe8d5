import { array, assert, constantFrom, oneof, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { intake } from "../../intake/intake.js";
import type { FactPack } from "../../../model/settings/packs.js";
import { Proposal } from "../../../model/proposal.js";
import { unsafePath } from "../../../model/plan/registry.js";
import { globsOverlap } from "../../../foundation/globs/glob.js";
import { IntakePolicy } from "../../../model/intake-policy.js";
import { Approach, type IntakeDecision } from "../../../model/request.js";
import { kindOfWork } from "./kind-of-work.js";
import { proposeFromTemplate } from "./template-planner.js";

const policy = IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8")));

function judged(user_request: string): IntakeDecision {
  return intake(policy, {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2026-02-03T04:05:06Z",
    user_request,
  });
}

const FACTS = pack({
  source_places: ["src/**"],
  test_places: ["test/**"],
  docs_places: ["README.md", "docs/**"],
  manifests: ["package-lock.json", "package.json"],
  pipeline_places: [".github/workflows/**"],
});

function pack(facts: Readonly<Record<string, readonly string[]>>): FactPack {
  const entries = Object.entries(facts).map(([name, value]) => [name, { value: [...value], evidence_ref: "git://x" }]);
  return {
    schema_version: "1.0.0",
    pack_id: "facts_test",
    project_id: "p",
    collected_at: "2026-02-03T04:05:06Z",
    facts: Object.fromEntries(entries) as FactPack["facts"],
  };
}

const propose = (text: string, facts: FactPack | null = FACTS) =>
  proposeFromTemplate({ text, intake: judged(text), spec: null, facts });

describe("the kind of work", () => {
  it.each([
    ["Add CSV export to the reports page", "feature"],
    ["Fix the crash when the list is empty", "bugfix"],
    ["Fix the SQL injection in the search form", "vulnerability"],
    ["Refactor the parser into smaller functions", "refactoring"],
    ["Write unit tests for the date helpers", "tests"],
    ["Document the configuration file", "docs"],
    ["Investigate which queue library we should use", "research"],
    ["Upgrade our dependencies to the newest versions", "dependencies"],
    ["Add a GitHub Actions pipeline that runs the tests", "pipelines"],
    ["Add a Dockerfile for the server", "infrastructure"],
    ["Migrate the users table to the new schema", "migration"],
    ["Create a new command line app in Python that counts words", "new_project"],
    ["Cut a release 1.2.0", "release"],
    // What comes first in the title is what is asked for.
    ["Collect the values with push, add tests", "feature"],
    ["Deprecate the sandbox and document its limits", "feature"],
    ["Remove the benchmarks directory", "feature"],
    ["ci: remove the daily release", "pipelines"],
    ["chore: update deps", "dependencies"],
    // A defect of a page is not one of the program that reads pages.
    ["Fix the readme section about hooks", "docs"],
    ["Fix a typo in the changelog", "docs"],
    ["Fix the crash when parsing the readme fails", "bugfix"],
  ])("of %j is %s", (text, kind) => {
    expect(kindOfWork(judged(text), text)).toBe(kind);
  });
});

describe("the points of a list", () => {
  it("are each of their own kind: a page is not code, and code is not a page", () => {
    const list =
      "- Fix a typo in README.md\n- Fix the rounding in src/total.mjs\n- Document the totals in docs/totals.md";
    const { workflow_id, tasks } = propose(list);
    expect(workflow_id).toBe("bugfix");
    expect(tasks.map(({ command_id, files }) => [command_id, files[0]])).toEqual([
      ["write_documentation", "README.md"],
      ["fix_bug", "src/total.mjs"],
      ["write_documentation", "docs/totals.md"],
    ]);
  });

  it("do not change a request that is about pages alone", () => {
    const { workflow_id } = propose("- Fix a typo in README.md\n- Describe the totals in docs/totals.md");
    expect(workflow_id).toBe("documentation");
  });
});

describe("the template planner", () => {
  it("builds a feature, tests it, and documents it where there are pages", () => {
    const { workflow_id, tasks } = propose("Add CSV export to the reports page");
    expect(workflow_id).toBe("feature_delivery");
    expect(tasks).toMatchObject([
      { id: "build-csv-export-reports-page", command_id: "implement_feature", files: ["src/**"], tests: ["test/**"] },
      { command_id: "write_tests", files: ["test/**"], dependencies: ["build-csv-export-reports-page"] },
      { command_id: "write_documentation", files: ["README.md", "docs/**"] },
    ]);
    expect(propose("Add CSV export to the reports page", pack({ source_places: ["lib/**"] })).tasks).toHaveLength(2);
  });

  it("keeps to the files that a request names", () => {
    expect(propose("Fix the rounding in src/total.mjs").tasks).toMatchObject([
      { command_id: "fix_bug", files: ["src/total.mjs"], tests: ["test/**"] },
    ]);
    expect(propose("Add a footer to src/pages/report.tsx").tasks[0]?.files).toEqual([
      "src/pages/**",
      "src/pages/report.tsx",
    ]);
    expect(propose("Document the flags in docs/cli.md").tasks[0]?.files).toEqual(["docs/cli.md"]);
  });

  it("keeps to what the request names, tells why, and tells where nothing is named", () => {
    const facts = pack({
      source_places: ["packages/cli/**", "packages/core/**"],
      packages: ["packages/cli", "packages/core"],
      test_places: ["packages/cli/test/**", "packages/core/test/**"],
      news_places: ["CHANGELOG.md"],
      defined_names: ["roundLength\tpackages/core/length.ts"],
    });
    const fixed = propose("Fix the rounding of `roundLength`", facts);
    expect(fixed.tasks).toMatchObject([
      { files: ["packages/core/**", "CHANGELOG.md"], tests: ["packages/core/test/**"] },
    ]);
    expect(fixed.recommendations).toEqual([
      "It may write packages/core/**, because it speaks of roundLength, which packages/core/length.ts defines. Name files to have it otherwise.",
    ]);
    const wide = propose("Fix the crash when nothing is given", facts);
    expect(wide.tasks[0]?.files).toEqual(["packages/cli/**", "packages/core/**", "CHANGELOG.md"]);
    expect(wide.recommendations).toEqual([
      "It may write all source: nothing in the words names a file, a package or a definition. Name some to narrow it.",
    ]);
  });

  it("lets research write its report and nothing else", () => {
    const { workflow_id, tasks } = propose("Investigate which queue library we should use");
    expect(workflow_id).toBe("research");
    expect(tasks).toMatchObject([{ command_id: "write_research_report", type: "docs", tests: [] }]);
    expect(tasks[0]?.files).toEqual(["docs/research/queue-library.md"]);
  });

  it("gives each point of a list a task, in their order when they are numbered", () => {
    const listed = propose("Add these exports:\n- CSV files\n- PDF files\n");
    expect(listed.tasks.map(({ title, dependencies }) => [title, dependencies.length])).toEqual([
      ["CSV files", 0],
      ["PDF files", 0],
      ["Write tests: Add these exports:", 2],
      ["Document: Add these exports:", 3],
    ]);
    const numbered = propose("Add these exports:\n1. CSV files\n2. PDF files\n");
    expect(numbered.tasks[1]?.dependencies).toEqual([numbered.tasks[0]?.id]);
  });

  const NAMED = pack({
    source_places: ["src/**"],
    source_files: ["src/cli.ts", "src/list.ts", "src/total.ts"],
    test_places: ["test/**"],
    docs_places: ["docs/**", "readme.md"],
    news_places: ["CHANGES.md"],
    named_files: [
      "src/total.ts\tsrc/total.ts\tsource",
      "cli.ts\tsrc/cli.ts\tsource",
      "src/list.ts\tsrc/list.ts\tsource",
      "readme\treadme.md\tpage",
    ],
    file_tests: ["src/total.ts\ttest/total.test.ts", "src/cli.ts\ttest/cli.test.ts", "src/list.ts\ttest/list.test.ts"],
  });
  const scopes = (text: string) => propose(text, NAMED).tasks.map(({ files, tests }) => [...files, ...tests]);

  it("gives points that name different files scopes that are apart, so that nobody waits", () => {
    const { tasks, recommendations } = propose(
      "Fix these:\n- Round up in src/total.ts\n- Say what failed in cli.ts\n- Sort src/list.ts\n",
      NAMED,
    );
    expect(tasks.map(({ files, tests, dependencies }) => [files, tests, dependencies])).toEqual([
      [["src/total.ts"], ["test/total.test.ts"], []],
      [["src/cli.ts"], ["test/cli.test.ts"], []],
      // One of them writes the changelog for all: shared by all, it would put them in a row.
      [["src/list.ts", "CHANGES.md"], ["test/list.test.ts"], []],
    ]);
    expect(tasks[2]?.description).toContain("Write the changelog for all parts");
    expect(recommendations).toHaveLength(3);
    expect(recommendations[1]).toContain("Part 2 may write src/cli.ts");
    const paths = tasks.map(({ files, tests: own }) => [...files, ...own]);
    for (const [at, own] of paths.entries())
      for (const other of paths.slice(at + 1))
        expect(own.some((a) => other.some((b) => globsOverlap(a, b)))).toBe(false);
  });

  it("takes parts joined with and as points only where each names its own", () => {
    expect(scopes("Fix the rounding in src/total.ts and add a --json flag in cli.ts")).toEqual([
      ["src/total.ts", "test/total.test.ts"],
      ["src/cli.ts", "CHANGES.md", "test/cli.test.ts"],
    ]);
    expect(propose("Fix the rounding in src/total.ts and src/list.ts", NAMED).tasks).toHaveLength(1);
    expect(propose("Fix the rounding in src/total.ts and add a test", NAMED).tasks).toHaveLength(1);
    expect(propose("Fix src/total.ts and test src/total.ts", NAMED).tasks).toHaveLength(1);
  });

  it("leaves all source to a point that names nothing", () => {
    expect(scopes("Fix these:\n- Round up in src/total.ts\n- Say what failed\n")[1]).toContain("src/**");
  });

  it("finds pages and changelogs as they are really spelled", () => {
    expect(scopes("Fix the readme section about hooks")).toEqual([["readme.md"]]);
    expect(scopes("Fix the release dates in the changelog")).toEqual([["CHANGES.md"]]);
    expect(scopes("Fix the crash on startup")[0]).toEqual(["src/**", "CHANGES.md", "docs/**", "readme.md", "test/**"]);
  });

  it("opens manifests and examples only to words that speak of them, and pipelines to work on pipelines alone", () => {
    const facts = pack({
      source_places: ["src/**"],
      beside_places: ["examples/**", "scripts/**"],
      manifests: ["package.json"],
      build_files: ["tsconfig.json"],
      pipeline_places: [".github/workflows/**"],
    });
    const files = (text: string) => propose(text, facts).tasks[0]?.files;
    expect(files("Fix the crash on startup")).toEqual(["src/**", "examples/**"]);
    expect(files("Drop support for node 18")).toEqual(expect.arrayContaining(["package.json", "tsconfig.json"]));
    // A rule denies pipelines to everything else: such a plan would be aborted.
    for (const text of ["Drop support for node 18", "Fix the nightly crash"])
      expect(files(text)).not.toContain(".github/workflows/**");
    expect(files("Update the CI workflow file to cache packages")).toContain(".github/workflows/**");
    expect(files("Fix the crash of the release script")).toContain("scripts/**");
    expect(files("Make the parser faster")).not.toContain("package.json");
  });

  it("does not take quoted patterns, options and technologies for files", () => {
    expect(scopes('Fix: reject catch-all wildcards "/*" and "*/*"')[0]?.slice(0, 1)).toEqual(["src/**"]);
    for (const path of scopes("Switch from Node.js streams to dist/index.d.ts types").flat()) {
      expect(path).not.toBe("Node.js");
      expect(path).not.toMatch(/^dist\//);
    }
  });

  it("lays the ground of a new project first", () => {
    const { tasks } = propose("Create a new web service in Python that shortens links", null);
    expect(tasks.map(({ id }) => id.split("-")[0])).toEqual(["scaffold", "build", "test", "document"]);
    expect(tasks[0]?.files).toEqual([
      "src/**",
      "app/**",
      "notebooks/**",
      "pyproject.toml",
      "requirements.txt",
      "README.md",
      ".gitignore",
    ]);
  });

  const S1_EXAMPLE = "Create a Next.js application with Supabase authentication and a product catalog";

  it("makes a task of each part, with its own scope, criteria and risks, and a new project's scaffold gives the places", () => {
    const { tasks, risks, open_questions } = propose(S1_EXAMPLE, null);
    expect(tasks.map(({ title }) => title)).toEqual([
      `Lay the ground: ${S1_EXAMPLE}`,
      "Build Supabase authentication",
      "Build a product catalog",
      `Write tests: ${S1_EXAMPLE}`,
      `Document: ${S1_EXAMPLE}`,
    ]);
    const [ground, login, catalog, tests] = tasks;
    expect(ground?.files).toEqual(
      expect.arrayContaining(["app/**", "src/**", "public/**", "package.json", "next.config.*"]),
    );
    for (const part of [login, catalog]) {
      expect(part?.files).toEqual(expect.arrayContaining(["app/**", "src/**", "public/**"]));
      expect(part?.dependencies).toEqual([ground?.id]);
    }
    expect(tests?.dependencies).toHaveLength(3);
    expect(tasks.flatMap(({ files, tests: own }) => [...files, ...own])).not.toContain("Next.js");
    expect(login?.acceptance_criteria?.[0]).toContain("without a valid login is refused");
    expect(catalog?.acceptance_criteria?.join()).not.toContain("login");
    for (const task of tasks) expect(task.acceptance_criteria?.length).toBeGreaterThan(0);
    expect(risks.map(({ risk }) => risk).join()).toContain("authentication");
    // Supabase says where accounts are kept.
    expect(open_questions).toBeUndefined();
  });

  it("splits new behaviour only: a defect of several things is one task", () => {
    expect(propose("Add authentication with JWT, a profile page, and password reset").tasks).toHaveLength(5);
    expect(propose("Fix the login page, the search page and the export").tasks).toHaveLength(1);
    expect(propose("Refactor the login page, the search page and the export").tasks).toHaveLength(1);
    expect(propose("Write tests for the login page, the search page and the export").tasks).toHaveLength(1);
  });

  it("takes no step of a report, no version and no box of a form for a task", () => {
    for (const list of [
      "Crash on save\n\n## Steps to reproduce\n1. Open the page\n2. Click on save\n",
      "Crash on save\n\n- Node.js 22\n- Linux 6.1\n",
      "Crash on save\n\n- [x] I have searched\n- [ ] I can help\n",
    ])
      expect(propose(list).tasks).toHaveLength(1);
    expect(propose("- Add a CSV export\n- Rename the menu\n").tasks.length).toBeGreaterThan(2);
    expect(propose("We need:\n- CSV files\n- PDF files\n").tasks.length).toBeGreaterThan(2);
  });

  it("names risks and criteria for every kind of work", () => {
    for (const approach of Approach.options) {
      const text = "Do what is asked with the thing";
      const input = { text, intake: { ...judged("Add a page"), approach }, spec: null, facts: FACTS };
      const { risks, tasks } = proposeFromTemplate(input);
      expect(risks.length).toBeGreaterThan(0);
      expect(tasks[0]?.acceptance_criteria?.length).toBeGreaterThan(0);
    }
  });

  it("asks what only a person can know, and not what the words say", () => {
    const asked = (text: string) => propose(text).open_questions?.map(({ name }) => name);
    expect(asked("Add authentication with JWT, a profile page, and password reset")).toEqual([
      "accounts_kept",
      "mail_service",
    ]);
    expect(asked("Add authentication with accounts in our database")).toBeUndefined();
    expect(asked("Add payments to the shop")).toEqual(["payment_provider"]);
    expect(asked("Add payments with Stripe to the shop")).toBeUndefined();
    expect(asked("Add a job that deletes old records")).toEqual(["removed_data"]);
    expect(asked("Fix the crash when a payment fails")).toBeUndefined();
    expect(asked("Add CSV export to the reports page")).toBeUndefined();
  });

  it("keeps data that a request names out of what may be written", () => {
    const { tasks } = propose("Train a churn model on data/customers.csv", null);
    expect(tasks[0]?.files).not.toContain("data/**");
    expect(tasks[0]?.files).toContain("src/**");
  });

  it("takes technologies for technologies, whatever the project is", () => {
    for (const name of ["Node.js", "Vue.js", "Three.js", "socket.io", "ASP.NET", "Next.js", "Express.js", "next.js"])
      for (const facts of [FACTS, null]) {
        const paths = propose(`Add a ${name} health endpoint to the API`, facts).tasks.flatMap(({ files }) => files);
        expect(paths).not.toContain(name);
        expect(paths).toContain("src/**");
      }
    const own = pack({ source_places: ["src/**"], named_files: ["next.js\tsrc/next.js\tsource"] });
    expect(propose("Fix the crash in next.js", own).tasks[0]?.files).toEqual(["src/next.js"]);
    expect(propose("Fix the crash in App.js", null).tasks[0]?.files).toContain("App.js");
  });

  it("proposes the same bytes for the same request, whatever the request is", () => {
    const words = oneof(
      string({ unit: "binary", maxLength: 60 }),
      constantFrom(
        "Add `../../etc/passwd`",
        "- a\n- b\n",
        "1. x y\n2. z w",
        "fix /abs/path.ts and src/**",
        "\ud800",
        "README.md",
        "𝒳".repeat(200),
        "update dependencies",
      ),
    );
    const facts = record({
      source_places: array(string({ maxLength: 12 }), { maxLength: 3 }),
      docs_places: array(constantFrom("docs/**", "**", "../x", ""), { maxLength: 3 }),
    });
    assert(
      property(array(words, { maxLength: 4 }), constantFrom(...Approach.options), facts, (parts, approach, known) => {
        const text = parts.join(" ");
        const input = { text, intake: { ...judged("Add a page"), approach }, spec: null, facts: pack(known) };
        const proposal = proposeFromTemplate(input);
        expect(Proposal.safeParse(proposal).error?.issues).toBeUndefined();
        expect(JSON.stringify(proposeFromTemplate(structuredClone(input)))).toBe(JSON.stringify(proposal));
        const ids = proposal.tasks.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [at, { dependencies, files, tests }] of proposal.tasks.entries()) {
          expect(dependencies.every((id) => ids.indexOf(id) < at && ids.includes(id))).toBe(true);
          for (const path of [...files, ...tests]) expect([path, unsafePath(path)]).toEqual([path, null]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
