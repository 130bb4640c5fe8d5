import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, property, string } from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { unsafePath } from "../../model/plan/registry.js";
import { findPlaces } from "./find-places.js";
import { profileRepository } from "./profile-repository.js";

const places = (...paths: string[]) => findPlaces(paths.map((path) => ({ path, bytes: 10 })));

describe("the places of a project", () => {
  it("are its folders, one deeper where it holds several projects", () => {
    expect(places("src/a.ts", "src/deep/b.ts", "packages/x/src/c.ts", "packages/y/d.ts", "main.go").source).toEqual([
      "*.go",
      "packages/x/**",
      "packages/y/**",
      "src/**",
    ]);
  });

  it("tell tests from source, in folders of their own and beside it", () => {
    expect(
      places("src/a.ts", "src/a.test.ts", "tests/b.py", "lib/__tests__/c.js", "app/test_d.py", "e_test.go"),
    ).toMatchObject({
      source: ["src/**"],
      tests: ["*_test.*", "app/**/test_*", "lib/__tests__/**", "src/**/*.test.*", "tests/**"],
    });
  });

  it("leave out what others made, and examples where there is other source", () => {
    expect(places("node_modules/x/i.js", "dist/a.js", "examples/e.js", "src/a.js").source).toEqual(["src/**"]);
    expect(places("examples/e.js").source).toEqual(["examples/**"]);
  });

  it("cover all source, however many folders there are", () => {
    const many = Array.from({ length: 40 }, (_, at) => `packages/p${at}/src/index.ts`);
    expect(places(...many, "lib/a.ts").source).toEqual(["lib/**", "packages/**"]);
    const tests = Array.from({ length: 40 }, (_, at) => `packages/p${at}/src/__tests__/a.test.ts`);
    expect(places(...tests).tests).toEqual(["packages/**/__tests__/**"]);
    const manifests = Array.from({ length: 40 }, (_, at) => `packages/p${at}/package.json`);
    expect(places(...manifests).manifests).toEqual(["packages/**/package.json"]);
  });

  it("leave folders for tools out, and tell changelogs, build files and packages", () => {
    const found = places(
      ".devcontainer/start.sh",
      "src/a/main.py",
      "src/a/pyproject.toml",
      "src/b/main.py",
      "src/b/pyproject.toml",
      "CHANGES.md",
      ".changeset/brave-dogs.md",
      "History.rdoc",
      "newsfragments/12.bugfix.rst",
      "CMakeLists.txt",
      "examples/a.py",
      "AGENTS.md",
      "Readme.md",
      "src/a/README.md",
    );
    expect(found).toMatchObject({
      source: ["src/**"],
      beside: ["examples/**"],
      news: [".changeset/**", "CHANGES.md", "History.rdoc", "newsfragments/**"],
      builds: ["CMakeLists.txt"],
      packages: ["src/a", "src/b"],
      docs: ["Readme.md", "src/a/README.md"],
    });
  });

  it("know pages, manifests, pipelines, infrastructure and migrations", () => {
    const found = places(
      "docs/a.md",
      "README.md",
      "packages/x/docs/b.md",
      "package.json",
      "yarn.lock",
      ".github/workflows/check.yml",
      "Dockerfile",
      "deploy/main.tf",
      "db/migrations/1.sql",
    );
    expect(found).toMatchObject({
      docs: ["README.md", "docs/**", "packages/x/docs/**"],
      manifests: ["package.json", "yarn.lock"],
      pipelines: [".github/workflows/**"],
      infrastructure: ["Dockerfile", "deploy/**"],
      migrations: ["db/migrations/**"],
    });
  });

  it("are the same for the same files, whatever their names, and never everything", () => {
    assert(
      property(array(string({ minLength: 1, maxLength: 20 }), { maxLength: 20 }), (names) => {
        const paths = [...names, "constructor", "__proto__/x.ts", ".ts"].filter((path) => unsafePath(path) === null);
        const found = places(...paths);
        expect(places(...paths)).toEqual(found);
        for (const pattern of [...found.source, ...found.tests, ...found.docs])
          expect(pattern).not.toMatch(/^\**(\/\**)*$/);
      }),
    );
  });
});

function repository(files: Readonly<Record<string, string>>): { repo: string; git: (...args: string[]) => string } {
  const repo = mkdtempSync(join(tmpdir(), "coordinator-profile-"));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=a@b.c", ...args], { cwd: repo, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repo, path, ".."), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  return { repo, git };
}

describe("the profile of a repository", () => {
  it("says what it is built with, who owns what and where it changes most, and is kept by its commit", async () => {
    const { repo, git } = repository({
      "package.json": '{"scripts":{"test":"vitest"},"dependencies":{"react":"19"},"devDependencies":{"vitest":"4"}}',
      "src/a.ts": "1",
      ".github/CODEOWNERS": "# who\n/src/ @ada @grace # two\n\n*.md @docs\n",
    });
    const cache = join(repo, ".coordinator", "profile.json");
    expect(await profileRepository(repo, cache), "without a commit there is nothing to say").toBeNull();
    git("add", ".");
    git("commit", "-qm", "one");
    writeFileSync(join(repo, "src/a.ts"), "2");
    git("commit", "-qam", "two");
    const made = await profileRepository(repo, cache);
    expect(made).toMatchObject({
      kept: false,
      facts: {
        source_places: { value: ["src/**"] },
        manifests: { value: ["package.json"] },
        frameworks: { value: ["React", "Vitest"] },
        test_commands: { value: ["npm test"] },
        owners: { value: ["/src/ @ada @grace", "*.md @docs"], evidence_ref: "repo://.github/CODEOWNERS" },
        most_changed: { value: ["src/a.ts"] },
        file_count: { value: 3 },
      },
    });
    expect(await profileRepository(repo, cache)).toEqual({ ...made, kept: true });
    expect(git("status", "--porcelain").trim(), "only the cache was written").toBe("?? .coordinator/");
    writeFileSync(cache, "half a fi");
    expect(await profileRepository(repo, cache)).toEqual(made);
    expect(JSON.parse(readFileSync(cache, "utf8"))).toHaveProperty("commit");
    writeFileSync(join(repo, "src/b.py"), "");
    git("add", "src");
    git("commit", "-qm", "three");
    expect((await profileRepository(repo, cache))?.facts["file_count"]?.value).toBe(4);
    expect(readdirSync(join(repo, ".coordinator"))).toEqual(["profile.json"]);
  });

  it("does without a cache, and without a repository", async () => {
    const { repo, git } = repository({ "a.py": "" });
    git("add", ".");
    git("commit", "-qm", "one");
    expect((await profileRepository(repo, null))?.facts["source_places"]?.value).toEqual(["*.py"]);
    expect(existsSync(join(repo, ".coordinator"))).toBe(false);
    expect(await profileRepository(tmpdir(), null)).toBeNull();
  });
});
