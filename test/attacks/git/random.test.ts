import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/mind/run/seeded.js";
import {
  attempt,
  expectUntouched,
  fingerprint,
  git,
  newFolder,
  open,
  userRepository,
  userState,
} from "../../workspace/repository.js";
import { ATTACKS } from "./attacks.js";
import { hasSandbox, runSandboxed } from "./sandbox.js";

/*
 * Attacks put together by chance. A seed gives the same script every time; COORDINATOR_ATTACKS=1000 runs as many, and
 * COORDINATOR_ATTACK_SEED=n one of them.
 */
const COUNT = Number(process.env["COORDINATOR_ATTACKS"] ?? 100);
const ONE = process.env["COORDINATOR_ATTACK_SEED"];
const AT_ONCE = 4;
/** Keeping one more costs more with each that was kept: git names them all. */
const ON_ONE_REPOSITORY = 100;

const PATHS = [
  "src/pay.ts",
  "src/cart.ts",
  "README.md",
  "new.txt",
  "src/.gitattributes",
  ".gitignore",
  ".gitmodules",
  "a/b/c",
  ".git/config",
  ".git/index",
  ".git/HEAD",
  "sub/.git",
  "docs",
  "node_modules/x",
  "-rf",
  ":(top)x",
];
const TARGETS = [
  "..",
  "../..",
  "/etc/passwd",
  "$USER_REPO",
  "$USER_REPO/.git",
  ".git",
  "src",
  "src/../..",
  "loop",
  ".",
];

function scriptOf(seed: number): string {
  const chance = seededRandom(seed, "attack");
  const one = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const moves: readonly (() => string)[] = [
    () => one(ATTACKS).script,
    () => one(ATTACKS).script,
    () => `mkdir -p "$(dirname -- '${one(PATHS)}')"; echo ${Math.floor(chance() * 1000)} > './${one(PATHS)}'`,
    () => `rm -rf -- './${one(PATHS)}'`,
    () => `ln -sfn "${one(TARGETS)}" './${one(PATHS)}'`,
    () => `mv -- './${one(PATHS)}' './${one(PATHS)}'`,
    () => `mkfifo './${one(PATHS)}'`,
    () => `mkdir -p './${one(PATHS)}'`,
    () => `chmod ${one(["000", "777", "4755", "200"])} -- './${one(PATHS)}' .`,
    () => `git init -q './${one(["sub", "src", "deep/er", "."])}'`,
    () => `git add -A; git commit -qm x; git checkout -q --orphan o`,
    () =>
      `printf '[include]\\n\\tpath = %s\\n[core]\\n\\tfsmonitor = touch %s\\n' "$USER_REPO/.git/config" "$CANARY" >> .git/config`,
    () => `echo "$USER_REPO/.git/objects" > .git/objects/info/alternates`,
    () =>
      `git config --add ${one(["core.hooksPath", "core.worktree", "core.editor", "diff.external", "core.sshCommand", "uploadpack.packObjectsHook", "core.gitProxy"])} "touch $CANARY"`,
    () =>
      `printf '* ${one(["filter=e", "merge=e", "diff=e", "text eol=crlf", "working-tree-encoding=UTF-16", "ident"])}\\n' >> .gitattributes`,
    () => `truncate -s ${one(["0", "1M", "3G"])} './${one(PATHS)}'`,
    () => `ln ./README.md './${one(PATHS)}'`,
    () => `dd if=/dev/urandom of=.git/objects/pack/$(ls .git/objects/pack | head -1) bs=1 count=40 conv=notrunc`,
  ];
  return Array.from({ length: 2 + Math.floor(chance() * 7) }, () => `( ${one(moves)()} )`).join("\n");
}

describe.skipIf(!hasSandbox)("attacks put together by chance", () => {
  it(
    `${ONE === undefined ? COUNT : 1} of them change nothing of the user's and run nothing`,
    { timeout: 1_800_000 },
    async () => {
      const outcomes: Record<string, number> = {};
      const seeds = ONE === undefined ? Array.from({ length: COUNT }, (_, i) => i + 1) : [Number(ONE)];
      while (seeds.length > 0) await some(seeds.splice(0, ON_ONE_REPOSITORY), outcomes);
      // Scripts that all fail at once would show nothing.
      if (ONE === undefined) expect(Object.keys(outcomes).length).toBeGreaterThan(1);
    },
  );

  async function some(seeds: number[], outcomes: Record<string, number>): Promise<void> {
    const folder = newFolder();
    const repository = userRepository(folder);
    git(repository, "remote", "add", "origin", join(folder, "nowhere.git"));
    const env = {
      USER_REPO: repository,
      ORIGIN: join(folder, "nowhere.git"),
      OTHER: join(folder, "other"),
      CANARY: join(folder, "canary"),
      DANGLING: "HEAD",
    };
    const { workspaces } = await open(folder, repository, { limits: { salvageBytes: 64 * 1024 ** 2 } });
    const before = userState(repository);
    const objects = fingerprint(join(repository, ".git/objects"));
    const one = async (seed: number) => {
      const workspace = await workspaces.prepare(attempt(String(seed)));
      await runSandboxed(scriptOf(seed), workspace.path, env);
      const { status } = await workspace.import({ write: ["**"], message: `seed ${seed}` });
      const removal = await workspace.remove();
      const ended = `${status}, ${removal.status}`;
      outcomes[ended] = (outcomes[ended] ?? 0) + 1;
      if (removal.status === "kept") expect(removal.findings.map(({ gate }) => gate)).toEqual(["too_large"]);
      const changed = [...userState(repository).files].filter(([path, text]) => before.files.get(path) !== text);
      expect({ seed, canary: existsSync(env.CANARY), changed }).toEqual({ seed, canary: false, changed: [] });
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await one(seed);
      }),
    );
    expect(expectUntouched(repository, before, objects)).toEqual([]);
  }
});
