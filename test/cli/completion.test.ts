import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coordinator, workFolder } from "./program.js";

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** What bash offers for the last of these words. */
function offered(script: string, words: readonly string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const asked = `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _coordinator; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", asked], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion", () => {
  it.skipIf(!has("bash"))("knows the commands, their own options and the words those take", async () => {
    const { stdout, code } = await coordinator(["completion", "bash"]);
    expect(code).toBe(0);
    const script = join(workFolder(), "completion.bash");
    writeFileSync(script, stdout);
    expect(offered(script, ["coordinator", "st"])).toContain("status");
    expect(offered(script, ["coordinator", "adr", ""])).toEqual(expect.arrayContaining(["list", "check", "--json"]));
    expect(offered(script, ["coordinator", "--json", "run", "--sch"])).toEqual(["--schedule"]);
    expect(offered(script, ["coordinator", "run", "--schedule", ""])).toEqual(["dataflow", "levels"]);
    expect(offered(script, ["coordinator", "run", "--plan", ""])).toEqual([]);
    expect(offered(script, ["coordinator", "status", "--sch"])).toEqual([]);
  });

  it.each(["zsh", "fish"])("gives %s a script that it can read", async (shell) => {
    const { stdout, code } = await coordinator(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\bstatus\b/);
    const script = join(workFolder(), "completion");
    writeFileSync(script, stdout);
    if (has(shell))
      expect(spawnSync(shell, ["-n", script], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

  it("says which shells there are", async () => {
    const { code, stderr } = await coordinator(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/bash, zsh, fish/);
  });
});
