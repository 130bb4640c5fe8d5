import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/* What an attempt may put on disk, and what stays of it. */

beforeAll(ensureBuilt);

const unseen = (command: string): Step => ({ run: command, ask: false, report: false });
const LATER: Step[] = [{ sleep: 120_000 }, unseen("touch src/later.txt"), { say: "Done." }];
const SMALL = { sandbox: { home_mb: 16 } };

describe.runIf(findAbilities().bubblewrap !== null)("the home of an attempt", () => {
  it.each([
    ["bytes", "head -c 100000000 /dev/zero > ~/big", "holds more than 16 MB"],
    [
      "bytes in a folder that cannot be listed",
      "mkdir ~/d && head -c 50000000 /dev/zero > ~/d/big && chmod 300 ~/d",
      "more than 16 MB",
    ],
    ["files", "mkdir ~/d && cd ~/d && seq 1 60000 | xargs touch", "holds more than 50000 files"],
  ])("is limited in %s: the agent is stopped, and nothing of it stays", async (_, command, message) => {
    const { result, repository, file } = await attemptOnce({ steps: [unseen(command), ...LATER], order: SMALL });
    expect(result.outcome).toMatchObject({ kind: "resource", what: "files" });
    expect(JSON.stringify(result.outcome)).toContain(message);
    expect(file("src/later.txt")).toBeNull();
    expect(result.home).toBeNull();
    expect(existsSync(join(repository.folder, "instance", "home"))).toBe(false);
  });

  it("stays while somebody may go on in its session, and does not where nobody can", async () => {
    const steps = [unseen("echo kept > ~/session; echo x > src/b.txt"), { say: "Done." } as Step];
    const task = await attemptOnce({ steps });
    expect(task.result.outcome.kind).toBe("completed");
    expect(existsSync(join(task.result.home ?? "", "session"))).toBe(true);
    const asked = await attemptOnce({
      steps: [unseen("echo kept > ~/session"), { say: '{"ok":true}' }],
      order: { output_schema: { type: "object" } },
    });
    expect(asked.result.home).toBeNull();
    expect(existsSync(join(asked.repository.folder, "instance", "home"))).toBe(false);
  });
});

describe.runIf(findAbilities().bubblewrap !== null)("ignore files that take too long to match", () => {
  it("are told as what they are, and not as a crash of the agent", async () => {
    const slow = "for i in $(seq 1 3000); do echo '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'$i; done > src/.gitignore";
    const name = `src/${"a".repeat(120)}`;
    const { result } = await attemptOnce({
      steps: [unseen(`${slow}; for i in $(seq 1 200); do echo x > ${name}$i; done`), { say: "Done." }],
      scope: { files: 1000 },
    });
    expect(result.outcome).toMatchObject({ kind: "environment" });
    expect(JSON.stringify(result.outcome)).toContain("The patterns in the .gitignore files take longer than 30 s");
    expect(result.commit).toBeNull();
  });
});
