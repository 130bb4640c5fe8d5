import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../scripts/mutants.mjs", import.meta.url));

it.each([
  [["--id", "S9-999"], "No row of the table (test/mutants) has such an id."],
  [["--only", "S7"], "No row of the table (test/mutants) has such an id."],
  [["--limit", "none"], '--limit takes a number from 1, not "none".'],
  [["--jobs", "0"], '--jobs takes a number from 1, not "0".'],
  [["--file", "x"], "Unknown option '--file'"],
])("npm run mutants refuses %j before it copies anything", (args, message) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  expect(stderr).toContain(message);
  expect(stderr).toContain("Usage: npm run mutants");
  expect([status, stdout]).toEqual([2, ""]);
});
