import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sweepOrphans } from "../../../src/hands/sandbox/kill.js";
import { openHostile, PEOPLE } from "./hostile.js";

/* A clone that brings a state folder along: what stands there is believed, so it must not come from a repository. */

const [who = { name: "", uid: null }] = PEOPLE;

describe("a state folder that is committed", () => {
  it.each([
    ["a result of a check", ".coordinator/baselines/x.json"],
    ["a record of a sandbox", ".coordinator/cages/ssh.json"],
    ["a record of a run", ".coordinator/records/run_1/plan.json"],
    ["a handoff's place", ".coordinator/board/state.json"],
    ["what a setup made", ".coordinator/setup/abc/kept.json"],
    ["a log", ".coordinator/runs.db"],
    ["a key", ".coordinator/signing-key.pem"],
  ])("%s", async (_, path) => {
    const opened = openHostile({ files: { [path]: "{}" }, tracksState: true }, who);
    for (const command of [["doctor"], ["run", "Document src/index.js in README.md"]]) {
      const ran = await opened.run(...command);
      expect(opened.harm(ran.output)).toEqual([]);
      expect({ code: ran.code, output: ran.output }).toMatchObject({
        code: 2,
        output: expect.stringContaining(`holds files that git tracks: ${path}`),
      });
    }
  });

  it("that an archive brought along, with runs this machine knows nothing of, is said to come from elsewhere", async () => {
    const opened = openHostile({}, who);
    await opened.run("run", "Document the function one() of src/index.js in README.md", "--yes");
    const store = async () => /^.* store .*$/m.exec((await opened.run("doctor", "--no-checks")).output)?.[0];
    expect(await store()).toMatch(/good .*can be written/);
    const other = openHostile({}, who);
    cpSync(join(opened.project, ".coordinator"), join(other.project, ".coordinator"), { recursive: true });
    const { output } = await other.run("doctor", "--no-checks");
    expect(output).toMatch(/weak +store .*holds a run, and this machine remembers none: it came from elsewhere/);
    expect(output).toMatch(/remove it: rm -r /);
  });

  it("a record of a sandbox names no folder but a sandbox's own", async () => {
    const opened = openHostile({}, who);
    const [records, ssh] = [join(opened.project, ".coordinator", "cages"), join(opened.home, ".ssh")];
    mkdirSync(records, { recursive: true });
    const record = (id: string, state: string) =>
      writeFileSync(
        join(records, `${id}.json`),
        JSON.stringify({ id, owner: null, state, processes: [], covered: [] }),
      );
    record("ssh", ssh);
    record("", ssh);
    record("coord-sandbox-0123456789abcdef", ssh);
    record("coord-sandbox-0123456789abcdee", `${ssh}/../.ssh`);
    expect(await sweepOrphans(records)).toEqual([]);
    expect(existsSync(ssh)).toBe(true);
  });
});
