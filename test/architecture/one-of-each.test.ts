import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, sourceFiles } from "./source-files.js";

/* What there must be one of, and where it is. A second one would not have the guards of the first. */

const files = sourceFiles().filter(({ path }) => !path.endsWith(".test.ts") && !path.startsWith("testing/"));
const filesWith = (pattern: RegExp) =>
  files
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

/** A program is started by a function of node:child_process, or by one that is called like it. */
const STARTS_GIT = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*["'`](?:\/[^"'`\n]*\/)?git\b/;
const APPENDS = /\.append\(\s*(?:record|runId|run_id|this\.#runId|signal\.run_id)\b/;
const PARSES_OR_NOT = /return JSON\.parse\(\w+\)(?: as unknown)?;\s*\} catch \{\s*return (?:null|undefined);/;

/**
 * The places that append to a log. The engine appends while it carries a run out; the others append before a run has an engine,
 * or while no process carries it out.
 */
const APPENDERS = [
  // A request on record before there is a run, and its answers.
  "app/request/record-request.ts",
  // What people decided while no process carries the run out.
  "app/decide/take-signals.ts",
  // The brief of a run that is about to be carried out.
  "app/run/brief.ts",
  // The first events of a run.
  "app/run/start-run.ts",
  "hands/engine/carry-out.ts",
  // A log that is moved to another store, event by event as it stands.
  "hands/store/copy-runs.ts",
  // The port itself: the writers behind it.
  "hands/store/postgres/open-postgres-store.ts",
  "hands/store/sqlite/open-sqlite-store.ts",
].sort();

describe("one of each", () => {
  it("git is started in one place", () => {
    expect(filesWith(STARTS_GIT)).toEqual(["hands/git/start-git.ts"]);
  });

  it("a log is appended to by the engine and by the places in this list", () => {
    expect(filesWith(APPENDS)).toEqual(APPENDERS);
  });

  it("a known secret is replaced by one function", () => {
    expect(filesWith(/`\[secret \$\{/)).toEqual(["foundation/files/known-secrets.ts"]);
  });

  it("a text that may not be JSON is read by one function", () => {
    expect(filesWith(PARSES_OR_NOT)).toEqual(["foundation/documents/json-or-undefined.ts"]);
  });

  it.each([
    [STARTS_GIT, 'spawn("git", args)'],
    [STARTS_GIT, 'execFileSync("/usr/bin/git", ["status"])'],
    [APPENDS, "await store.append(runId, 3, events)"],
    [PARSES_OR_NOT, "  return JSON.parse(text);\n  } catch {\n    return null;"],
  ])("%s would find %s", (pattern, text) => {
    expect(pattern.test(text)).toBe(true);
  });
});

describe("the import graph of planning", () => {
  const byPath = new Map(files.map((file) => [file.path, file.text]));
  /** What is loaded with a file: types vanish in the build. */
  const loadedBy = (text: string) => importsOf(text.replace(/^(?:import|export) type\b[^;]*;/gm, ""));
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    const open = [start];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const text = byPath.get(path);
      if (text === undefined || reached.has(path)) continue;
      reached.add(path);
      for (const target of loadedBy(text))
        if (target.startsWith("."))
          open.push(posix.normalize(posix.join(posix.dirname(path), target)).replace(/\.js$/, ".ts"));
    }
    return reached;
  };
  /** What carries a run out. */
  const EXECUTOR =
    /^(?:hands\/engine\/|hands\/checks\/on-trees\/|hands\/integration\/(?:merging\/|integrate|merge|resolve|review)|app\/run\/(?:execute-run|run-effects|work-on-run|run)\.ts$)/;

  it.each(["app/plan/plan.ts", "app/plan/planning.ts", "app/request/plan-words.ts", "mind/plan/plan.ts"])(
    "%s does not reach the executor",
    (start) => {
      const reached = [...reachedFrom(start)];
      expect(reached.length).toBeGreaterThan(20);
      expect(reached.filter((path) => EXECUTOR.test(path))).toEqual([]);
    },
  );

  it("would find the executor from where a run is carried out", () => {
    const reached = [...reachedFrom("app/run/work-on-run.ts")].filter((path) => EXECUTOR.test(path));
    expect(reached).toContain("hands/engine/carry-out.ts");
    expect(reached).toContain("hands/integration/integrate.ts");
  });
});
