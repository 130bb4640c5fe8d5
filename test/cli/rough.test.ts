import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { piped } from "./piped.js";
import { coordinator, root, workFolder } from "./program.js";

/* Where the program is started in a bad place or its streams are not what they should be: told in words, with a way out. */

const main = join(root, "dist", "cli", "main.js");

describe("in rough context", () => {
  it("a folder that is gone is named as that", async () => {
    await coordinator(["--version"]);
    const folder = join(workFolder(), "gone");
    mkdirSync(folder);
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" status';
    const ran = spawnSync("sh", ["-c", script, "sh", folder, process.execPath, main], { encoding: "utf8" });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("The current directory does not exist any more [FILE_NOT_FOUND]");
  });

  it.runIf(existsSync("/dev/full"))("output that finds no room ends with an error and no stack", async () => {
    await coordinator(["--version"]);
    const script = 'exec "$1" "$2" --help > /dev/full';
    const ran = spawnSync("sh", ["-c", script, "sh", process.execPath, main], { cwd: workFolder(), encoding: "utf8" });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain("[FILE_WRITE_FAILED]");
    expect(ran.stderr).not.toMatch(/^ {4}at /m);
  });

  it("a request may come from stdin", async () => {
    const cwd = workFolder();
    const planned = await piped(["plan", "-"], "Document src/greet.mjs\nin README.md\n", { cwd });
    expect([planned.code, planned.stderr]).toEqual([0, ""]);
    expect(planned.stdout).toContain("Document src/greet.mjs");
    const nothing = await piped(["run", "-"], "  \n", { cwd });
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("There are no words on stdin [USAGE]")]);
  });

  it("words where a whole request is wanted are told where they stand, and long ones are not said again", async () => {
    const cwd = workFolder();
    const words = await piped(["run", "--request", "-"], "Document src/greet.mjs\n", { cwd });
    expect(words.code).toBe(2);
    expect(words.stderr).toContain("There is a problem in stdin [DOCUMENT_INVALID]");
    const long = await coordinator(["plan", "Document src/greet.mjs in README.md. ".repeat(300)], { cwd });
    expect(long.stdout).toContain("Next: coordinator plan - < FILE-WITH-THE-WORDS --out DIR\n");
    expect(Math.max(...long.stdout.split("\n").map((line) => line.length))).toBeLessThan(1000);
  });
});
