import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { dependencyNames } from "./dependency-names.js";
import { scanRepository } from "./scan-repository.js";

function folderOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "coordinator-scan-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe("scanRepository", () => {
  it("lists files from the top down, in the order of their names, without what others or a build made", async () => {
    const root = folderOf({
      "src/b.ts": "",
      "src/a.ts": "",
      "package.json": '{"dependencies":{"react":"19"}}',
      "ios/App.xcodeproj/project.pbxproj": "",
      "node_modules/vue/package.json": '{"dependencies":{"vue":"3"}}',
      ".git/config": "",
      "vendor/x.go": "",
      "dist/index.js": "",
    });
    const { facts, notes } = await scanRepository(root);
    expect(facts).toEqual({
      files: ["package.json", "src/a.ts", "src/b.ts", "ios/App.xcodeproj/project.pbxproj"],
      dependencies: ["react"],
    });
    expect(notes).toEqual([]);
    expect((await scanRepository(root)).facts).toEqual(facts);
  });

  it("passes over folders that use the project or try it", async () => {
    const root = folderOf({
      "package.json": '{"devDependencies":{"typescript":"5"}}',
      "packages/app/src/app.ts": "",
      "packages/app/fixtures/page.html": "",
      "examples/search/public/index.html": "",
      "tests/public/index.html": "",
      "examples/vue/package.json": '{"dependencies":{"vue":"3"}}',
      "benchmarks/package.json": '{"dependencies":{"express":"5"}}',
      demo: "",
    });
    expect((await scanRepository(root)).facts).toEqual({
      files: ["demo", "package.json", "packages/app/src/app.ts"],
      dependencies: ["typescript"],
    });
  });

  it("does not follow links, to folders, to files or to itself", async () => {
    const outside = folderOf({ "package.json": '{"dependencies":{"secret":"1"}}' });
    const root = folderOf({ "a.txt": "" });
    symlinkSync(outside, join(root, "folder"));
    symlinkSync(join(outside, "package.json"), join(root, "package.json"));
    symlinkSync(root, join(root, "self"));
    expect((await scanRepository(root)).facts).toEqual({ files: ["a.txt"], dependencies: [] });
  });

  it("does not wait for a pipe that has the name of a manifest", async () => {
    const root = folderOf({ "a.txt": "" });
    execFileSync("sh", ["-c", `mkfifo "$0"`, join(root, "package.json")]);
    expect((await scanRepository(root)).facts).toEqual({ files: ["a.txt"], dependencies: [] });
  });

  it("is bounded in entries, depth, manifests and names, and says so", async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${String(i).padStart(2, "0")}.txt`, ""]));
    const few = await scanRepository(folderOf(many), { entries: 10 });
    expect(few.facts?.files).toHaveLength(10);
    expect(few.notes).toEqual([expect.stringContaining("only the first 10 entries")]);
    const folder = await scanRepository(folderOf(many), { entriesOfFolder: 20 });
    expect(folder.facts?.files).toHaveLength(20);
    const deep = await scanRepository(folderOf({ "a/b/c/d.txt": "", "a/x.txt": "" }), { depth: 1 });
    expect(deep.facts?.files).toEqual(["a/x.txt"]);
    const manifest = `{"dependencies":{"a":"1","b":"1","c":"1"}}`;
    const root = folderOf({ "package.json": manifest, "web/package.json": '{"dependencies":{"z":"1"}}' });
    expect((await scanRepository(root, { dependencies: 2 })).facts?.dependencies).toEqual(["a", "b"]);
    expect((await scanRepository(root, { manifests: 1 })).facts?.dependencies).toEqual(["a", "b", "c"]);
    const small = await scanRepository(root, { manifestBytes: 30 });
    expect(small.facts?.dependencies).toEqual(["z"]);
    expect(small.notes).toEqual([expect.stringContaining("is larger than 30 bytes")]);
  });

  it("passes over what cannot be read, with a note", async () => {
    const missing = await scanRepository(join(tmpdir(), "there-is-no-such-folder"));
    expect(missing.facts).toBeNull();
    expect(missing.notes).toEqual([expect.stringContaining("it is not there")]);
    const root = folderOf({ "closed/a.txt": "", "b.txt": "" });
    expect((await scanRepository(join(root, "b.txt"))).facts).toBeNull();
    if (process.getuid?.() === 0) return;
    chmodSync(join(root, "closed"), 0o000);
    const { facts, notes } = await scanRepository(root);
    chmodSync(join(root, "closed"), 0o755);
    expect(facts?.files).toEqual(["b.txt"]);
    expect(notes).toEqual([expect.stringContaining("permission is denied")]);
  });
});

describe("dependencyNames", () => {
  const cases: readonly (readonly [file: string, text: string, names: readonly string[]])[] = [
    [
      "package.json",
      '{"dependencies":{"react":"1"},"devDependencies":{"vite":"1"},"scripts":{"a":"b"}}',
      ["react", "vite"],
    ],
    ["package.json", "{ half", []],
    ["package.json", "[1]", []],
    ["composer.json", '{"require":{"laravel/framework":"11"}}', ["laravel/framework"]],
    [
      "Cargo.toml",
      '[package]\nname = "x"\n[dependencies]\naxum = "0.7"\n[dependencies.serde]\nversion = "1"\n[target.x.dev-dependencies]\nbevy = { version = "1" }',
      ["axum", "serde", "bevy"],
    ],
    [
      "pyproject.toml",
      '[project]\nname = "shop"\ndependencies = [\n  "django>=5",\n  "uvicorn[standard]",\n  \'flask\',\n]\n[tool.poetry.dependencies]\npython = "^3"\nfastapi = "*"\n[build-system]\nrequires = ["hatchling"]',
      ["fastapi", "django", "uvicorn", "flask", "hatchling"],
    ],
    ["requirements-dev.txt", "# tools\npandas==2.0\n-r other.txt\nscikit-learn[x]>=1", ["pandas", "scikit-learn"]],
    [
      "go.mod",
      "module example.org/x\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n\tgithub.com/spf13/cobra/v2 v2.0.0 // indirect\n)",
      ["github.com/gin-gonic/gin", "gin-gonic/gin", "gin", "github.com/spf13/cobra", "spf13/cobra", "cobra"],
    ],
    ["Gemfile", "source 'x'\ngem 'rails', '~> 7'\n", ["rails"]],
    [
      "pom.xml",
      "<dependency>\n<artifactId>spring-boot-starter-web</artifactId>\n</dependency>",
      ["spring-boot-starter-web"],
    ],
    [
      "app/build.gradle.kts",
      'plugins { id("com.android.application") }\nimplementation("androidx.core:core-ktx:1.12")',
      ["com.android.application", "androidx.core", "core-ktx"],
    ],
    ["pubspec.yaml", "dependencies:\n  flutter:\n    sdk: flutter\n  http: ^1.0.0\n", ["flutter", "http"]],
    ["App.csproj", '<PackageReference Include="Serilog" Version="3" />', ["Serilog"]],
  ];
  it.each(cases)("%s %#", (file, text, names) => {
    expect(dependencyNames(file)?.(text)).toEqual(names);
  });

  it("other files are not manifests, and hostile text costs no time", () => {
    expect(dependencyNames("src/index.ts")).toBeNull();
    const hostile = `${"[".repeat(100_000)}\n${'"a[ '.repeat(20_000)}\n${"a=[".repeat(300)}`;
    const started = performance.now();
    for (const file of [
      "Cargo.toml",
      "pyproject.toml",
      "go.mod",
      "build.gradle",
      "requirements.txt",
      "setup.py",
      "x.csproj",
    ])
      expect(dependencyNames(file)?.(hostile)).toBeInstanceOf(Array);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
