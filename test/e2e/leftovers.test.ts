import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";

/* What stays of attempts when their run is over, and what `clean` removes. */

beforeAll(ensureBuilt, 300_000);

const ASK = "Add CSV export to the reports page";
const TEST = 'import { test } from "node:test";\ntest("nothing", () => {});\n';

describe("a run that is over", () => {
  it("leaves no home of an agent, and clean removes the folders of its attempts", async () => {
    const at = asked(
      {
        "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
        "src/reports.mjs": "export const reports = [];\n",
        "test/reports.test.mjs": TEST,
        ".gitignore": ".coordinator/\n",
      },
      [
        {
          title: ASK,
          steps: [
            { run: "echo secret > ~/session", ask: false, report: false },
            { write: "src/csv.mjs", text: "export const csv = () => '';\n" },
            { say: "DONE" },
          ],
        },
        { title: `Write tests: ${ASK}`, writes: { "test/csv.test.mjs": TEST } },
      ],
    );
    const ran = at.call("run", ASK, "--type", "technical", "--yes");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const [run = ""] = (await at.runs()).filter((id) => id.startsWith("run_"));
    const attempts = join(at.cwd, ".coordinator/attempts", run);
    const left = readdirSync(attempts, { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => path.split("/").at(-1) === "home")).toEqual([]);
    expect(left.some((path) => path.endsWith("order.json"))).toBe(true);
    expect(at.call("clean", "--dry-run", "--older-than", "0m").stdout).toContain("its run is over");
    expect(existsSync(attempts)).toBe(true);
    expect(at.call("clean", "--older-than", "0m").code).toBe(0);
    expect(existsSync(attempts)).toBe(false);
    expect(at.json("verify", run)).toMatchObject({ passed: true });
  });
});
