import type { Check } from "../../model/settings/check.js";
import { type DetectedCheck, manifestOf, type ProjectFiles, detectedCheck } from "./detected-check.js";

/*
 * Checks of projects that say how they are built in a file of their tool: the commands they name themselves, else the one
 * everybody uses with that tool. A sandbox has no network, so tools that would look for newer packages get an option against it.
 */

export async function fromBuildFiles(files: ProjectFiles): Promise<DetectedCheck[]> {
  const names = new Set(await files.list("."));
  return [
    ...fromMaven(names),
    ...fromGradle(names),
    ...(await fromDeno(files)),
    ...(await fromComposer(files, names)),
    ...(await fromRuby(files, names)),
    ...fromDotnet(names),
  ];
}

type Names = ReadonlySet<string>;

function fromMaven(names: Names): DetectedCheck[] {
  if (!names.has("pom.xml")) return [];
  const maven = names.has("mvnw") ? "./mvnw" : "mvn";
  const reports = "**/target/surefire-reports/TEST-*.xml";
  return [detectedCheck("test", "test", `${maven} --batch-mode --offline --fail-at-end test`, "pom.xml", reports)];
}

function fromGradle(names: Names): DetectedCheck[] {
  const file = ["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"].find((n) => names.has(n));
  if (file === undefined) return [];
  const gradle = names.has("gradlew") ? "./gradlew" : "gradle";
  // As with Maven: one project that fails must not hide the tests of the others.
  const run = `${gradle} --offline --no-daemon --continue test`;
  return [detectedCheck("test", "test", run, file, "**/build/test-results/test/TEST-*.xml")];
}

const NAMED: readonly (readonly [name: string, kind: Check["kind"], names: readonly string[]])[] = [
  ["test", "test", ["test", "tests", "phpunit"]],
  ["lint", "lint", ["lint", "cs", "check-style", "phpcs"]],
  ["types", "types", ["types", "check", "typecheck", "phpstan", "analyse", "analyze"]],
];

/** Finds scripts that a project has given a usual name. */
function checksByName(given: unknown, run: (name: string) => string, where: string): DetectedCheck[] {
  if (typeof given !== "object" || given === null) return [];
  return NAMED.flatMap(([name, kind, usual]) => {
    const own = usual.find((each) => Object.hasOwn(given, each));
    return own === undefined ? [] : [detectedCheck(name, kind, run(own), `${where}.${own}`)];
  });
}

async function fromDeno(files: ProjectFiles): Promise<DetectedCheck[]> {
  for (const file of ["deno.json", "deno.jsonc"]) {
    const manifest = manifestOf<{ tasks: unknown }>(await files.read(file), true);
    if (manifest === null) continue;
    const found = checksByName(manifest.tasks, (task) => `deno task ${task}`, `${file} tasks`);
    const tests = found.some(({ check }) => check.kind === "test") ? null : await testFile(files);
    return tests === null ? found : [detectedCheck("test", "test", "deno test --reporter=tap", tests), ...found];
  }
  return [];
}

/** A test of TypeScript or JavaScript where such tests usually are. */
export async function testFile({ list }: ProjectFiles): Promise<string | null> {
  for (const folder of [".", "test", "tests", "src"]) {
    const name = [...(await list(folder))].sort().find((each) => /[._]test\.[jt]sx?$/.test(each));
    if (name !== undefined) return folder === "." ? name : `${folder}/${name}`;
  }
  return null;
}

async function fromComposer({ read }: ProjectFiles, names: Names): Promise<DetectedCheck[]> {
  const manifest = manifestOf<{ scripts: unknown }>(await read("composer.json"));
  if (manifest === null) return [];
  const found = checksByName(manifest.scripts, (script) => `composer run-script ${script}`, "composer.json scripts");
  const settings = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"].find((name) => names.has(name));
  if (settings === undefined || found.some(({ check }) => check.kind === "test")) return found;
  const report = "phpunit-report.xml";
  return [detectedCheck("test", "test", `vendor/bin/phpunit --log-junit ${report}`, settings, report), ...found];
}

async function fromRuby({ read }: ProjectFiles, names: Names): Promise<DetectedCheck[]> {
  const gems = [await read("Gemfile"), await read("Gemfile.lock")].join("\n");
  const rake = (await read("Rakefile")) ?? "";
  if (!names.has("Gemfile") && rake === "") return [];
  const bundled = names.has("Gemfile") ? "bundle exec " : "";
  const hasTask = /^\s*(?:task|multitask)[ (]+:?["']?test\b|Rake::TestTask/m.test(rake);
  return [
    ...(names.has("spec") && (names.has(".rspec") || /\brspec\b/.test(gems))
      ? [detectedCheck("test", "test", `${bundled}rspec`, "rspec in the Gemfile or .rspec")]
      : hasTask
        ? [detectedCheck("test", "test", `${bundled}rake test`, "the task test of the Rakefile")]
        : []),
    ...(names.has(".rubocop.yml") || /\brubocop\b/.test(gems)
      ? [detectedCheck("lint", "lint", `${bundled}rubocop`, "rubocop in the Gemfile or .rubocop.yml")]
      : []),
  ];
}

function fromDotnet(names: Names): DetectedCheck[] {
  const file =
    [...names].sort().find((name) => /\.slnx?$/.test(name)) ?? [...names].find((n) => /\.[cf]sproj$/.test(n));
  if (file === undefined) return [];
  return [detectedCheck("test", "test", "dotnet test", file), detectedCheck("build", "build", "dotnet build", file)];
}

/** Tests in Bats, or a script whose name says that it runs the tests. */
export async function fromShell({ read, list }: ProjectFiles): Promise<DetectedCheck[]> {
  for (const folder of ["test", "tests"])
    if ((await list(folder)).some((name) => name.endsWith(".bats")))
      return [detectedCheck("test", "test", `bats --formatter tap ${folder}`, `tests in ${folder}`)];
  for (const script of ["test.sh", "run-tests.sh", "run_tests.sh", "runtests.sh", "tests/run.sh", "test/run.sh"]) {
    const text = await read(script);
    if (text === null) continue;
    const shell = /^#!.*\b(bash|zsh|ksh)\b/.exec(text)?.[1] ?? "sh";
    return [detectedCheck("test", "test", `${shell} ${script}`, script)];
  }
  return [];
}
