import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/* Every story in examples/ is told to its end; each asserts its own outcome. */

const folder = fileURLToPath(new URL("../../examples", import.meta.url));
/** Told where there is a Postgres server: `test/cli/quickstart-team.test.ts`. */
const ELSEWHERE = "team-run";
const stories = readdirSync(folder).filter((name) => name !== ELSEWHERE && existsSync(join(folder, name, "run.mjs")));

describe("the examples", () => {
  it("are those the guides name", () => {
    const known = [
      "adr",
      "custom-agent",
      "feature-plan",
      "first-run",
      "hosts",
      "layouts",
      "library",
      "policy",
      "questions",
    ];
    expect(stories.sort()).toEqual(known);
  });

  it.each(stories)(
    "%s comes to its end",
    async (name) => {
      const child = spawn(process.execPath, [join(folder, name, "run.mjs")]);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
      expect(await new Promise((resolve) => child.on("close", resolve)), said).toBe(0);
    },
    600_000,
  );
});
