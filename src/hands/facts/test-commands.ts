import type { TreeFile } from "./tree.js";

/** The commands a project's tests are most likely run with, by its manifests. Nothing is run to find out. */
export function testCommands(
  files: readonly TreeFile[],
  textOf: (path: string) => string | null,
  dependencies: ReadonlySet<string>,
): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const commands: string[] = [];
  if (hasTestScript(textOf("package.json"))) commands.push(`${nodeRunner(paths)} test`);
  if (dependencies.has("pytest") || paths.has("pytest.ini") || paths.has("conftest.py")) commands.push("pytest");
  if (paths.has("Cargo.toml")) commands.push("cargo test");
  if (paths.has("go.mod")) commands.push("go test ./...");
  if (paths.has("pom.xml")) commands.push("mvn test");
  if (paths.has("gradlew")) commands.push("./gradlew test");
  if (paths.has("mix.exs")) commands.push("mix test");
  if (dependencies.has("rspec")) commands.push("bundle exec rspec");
  if (dependencies.has("phpunit/phpunit")) commands.push("vendor/bin/phpunit");
  return commands;
}

function nodeRunner(paths: ReadonlySet<string>): string {
  if (paths.has("pnpm-lock.yaml")) return "pnpm";
  if (paths.has("yarn.lock")) return "yarn";
  return paths.has("bun.lock") || paths.has("bun.lockb") ? "bun" : "npm";
}

function hasTestScript(manifest: string | null): boolean {
  try {
    const { scripts } = JSON.parse(manifest ?? "{}") as { scripts?: { test?: unknown } };
    // The script that `npm init` writes is not a test.
    return typeof scripts?.test === "string" && !scripts.test.includes("no test specified");
  } catch {
    return false;
  }
}
