import { beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../src/hands/agents/scripted/script.js";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { ensureBuilt } from "../build.js";
import { attemptOnce } from "./attempt.js";

/*
 * What an agent's shell writes is told by nobody but the disk. Each of these agents has an effect that it would come to
 * long after the one that ends it.
 */

beforeAll(ensureBuilt);

const unseen = (command: string): Step => ({ run: command, ask: false, report: false });
const LATER: Step[] = [{ sleep: 120_000 }, unseen("touch src/later.txt"), { say: "Done." }];

describe.runIf(findAbilities().bubblewrap !== null).concurrent("an attempt is watched on disk", () => {
  it.each([
    ["a file that was given is changed", "echo more >> README.md", "README.md"],
    ["a file that was given is removed", "rm docs/guide.md", "docs/guide.md"],
    ["a file that was given becomes a program", "chmod +x README.md", "README.md"],
    ["a folder is moved away", "mv docs src/docs", "docs/guide.md"],
    ["a new file is made", "echo x > new.txt", "new.txt"],
    ["a new file is made in a new folder", "mkdir -p other/deep && echo x > other/deep/new.txt", "other/deep/new.txt"],
  ])("%s: the agent is killed while it works [S0-056]", async (_, command, path) => {
    const { result, events, file } = await attemptOnce({
      files: { "docs/guide.md": "guide\n" },
      steps: [unseen("echo first > src/first.txt"), unseen(command), ...LATER],
    });
    expect(result.outcome).toMatchObject({ kind: "semantic", violation: "scope" });
    expect(JSON.stringify(result.outcome)).toContain(path);
    expect(result.commit, "nothing of it is taken over").toBeNull();
    expect(file("src/first.txt"), "the evidence is kept").toBe("first");
    expect(file("src/later.txt")).toBeNull();
    const judged = events.flatMap((event) => (event.type === "tool" ? [event.judgement] : []));
    expect(judged.at(-1)).toMatchObject({ decision: "violation", rule_id: "scope_write" });
  });

  it("lets an agent work that only writes what the gate would let pass", async () => {
    const many = "for i in $(seq 1 300); do mkdir -p node_modules/p$i; echo x > node_modules/p$i/index.js; done";
    const { result, file } = await attemptOnce({
      files: { ".gitignore": "node_modules/\n*.log\nbuild/\nkept/\n", "docs/guide.md": "guide\n" },
      order: {
        setup: {
          run: "mkdir -p kept && echo x > kept/made && mkdir -p build",
          keeps: ["kept"],
          inputs: [],
          mounts: [],
          minutes: 5,
        },
      },
      steps: [
        unseen(many),
        unseen("for i in $(seq 1 500); do echo $i >> debug.log; echo $i > build/out$i; done"),
        // As it was, by whatever way: rewritten, replaced, touched.
        unseen(
          "cat README.md > src/copy && cat src/copy > README.md && cp docs/guide.md src/g && mv src/g docs/guide.md",
        ),
        unseen("touch README.md && rm src/copy"),
        // What tools put beside what they work on, and take away again.
        unseen(
          "echo x > config.timestamp-1.mjs && sleep 0.2 && rm config.timestamp-1.mjs && mkdir tmp.d && rmdir tmp.d",
        ),
        // A folder of caches that says itself that it is to be ignored.
        unseen("mkdir .cache && echo '*' > .cache/.gitignore && echo x > .cache/x"),
        unseen("git status > /dev/null && git stash list && mkfifo pipe && echo x > $HOME/x && echo x > /tmp/x"),
        unseen("mkdir src/gen && for i in $(seq 1 50); do echo $i > src/gen/$i; done"),
        { sleep: 1500 },
        unseen("rm -rf pipe src/gen && echo done > src/done.txt"),
        { say: "Done." },
      ],
    });
    expect(result.outcome).toEqual({ kind: "completed", output_ref: result.commit });
    expect(result.changes.map(({ path }) => path)).toEqual(["src/done.txt"]);
    expect(file("src/done.txt")).toBe("done");
  });
});
