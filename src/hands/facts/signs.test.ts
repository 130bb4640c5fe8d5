import { describe, expect, it } from "vitest";
import { CI_FILES, MIGRATION_FILES, TEST_FILES } from "./signs.js";

const cases: readonly [name: string, pattern: RegExp, yes: readonly string[], no: readonly string[]][] = [
  [
    "tests",
    TEST_FILES,
    [
      "test/a.ts",
      "src/a.test.ts",
      "pkg/a_test.go",
      "tests/test_a.py",
      "a/__tests__/b.jsx",
      "spec/a_spec.rb",
      "src/ATest.java",
    ],
    ["src/a.ts", "src/latest.ts", "docs/contest.md", "src/testing.ts", "src/attest/a.go", "protest/a.py"],
  ],
  [
    "pipelines",
    CI_FILES,
    [".github/workflows/check.yml", ".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml", ".woodpecker/check.yaml"],
    [".github/dependabot.yml", "docs/Jenkinsfile", "sub/.gitlab-ci.yml", "src/workflows/check.yml"],
  ],
  [
    "migrations",
    MIGRATION_FILES,
    [
      "db/migrations/001.sql",
      "migrations/0001_start.py",
      "db/migrate/2026_add.rb",
      "sql/V2__names.sql",
      "alembic/versions/a.py",
    ],
    ["src/migrations.ts", "docs/migration/why.md", "schema.sql", "src/immigrations/a.sql"],
  ],
];

describe.each(cases)("signs of %s", (_, pattern, yes, no) => {
  it.each(yes)("%s is one", (path) => expect(path).toMatch(pattern));
  it.each(no)("%s is none", (path) => expect(path).not.toMatch(pattern));
});
