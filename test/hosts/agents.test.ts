import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findAbilities } from "../../src/hands/sandbox/grade.js";
import { coordinator } from "../cli/program.js";
import { hosted } from "./hosted.js";
import { planIssue } from "./planned-issue.js";

const AGENT = fileURLToPath(new URL("../../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url));
const hasSandbox = findAbilities().bubblewrap !== null;

describe.skipIf(!hasSandbox)(`agents and the host${hasSandbox ? "" : " (left out: there is no bubblewrap)"}`, () => {
  it("agents get no token and do not reach the host, though they look everywhere and ask nobody", async () => {
    const at = await hosted([]);
    const { host } = at;
    const home = at.env["HOME"] ?? "";
    const own = ".gitconfig .config/coordinator/config.yaml .config/gh/hosts.yml project/.coordinator/hosts/*";
    const search = [
      "env",
      "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline",
      `cat ${own
        .split(" ")
        .map((path) => `${home}/${path}`)
        .join(" ")} ~/.gitconfig .git/config`,
      `printf 'protocol=http\\nhost=${host.server}\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill`,
      `node -e 'fetch("${host.api}/user").then((r) => r.text()).then(console.log)'`,
      `GIT_TERMINAL_PROMPT=0 git push ${host.url}/${host.repository}.git HEAD:refs/heads/mine`,
    ];
    const run = `(${search.map((one) => `${one} 2>&1`).join("; ")}; echo searched) > a.txt`;
    const script = join(home, "script.json");
    const otherwise = [{ run, ask: false, report: false }, { say: "DONE" }];
    writeFileSync(script, JSON.stringify({ tasks: [], otherwise }));
    const command = [process.execPath, AGENT, "--script", script];
    at.settings({}, { agents: { searcher: { preset: "scripted", command } }, workspace: { tools: [script] } });
    const { run_id } = await planIssue(at);
    expect((await at.coordinator("approve", "plan", "--run", run_id)).code).toBe(0);
    const asked = host.seen.length;
    const { stdout } = await coordinator(["run", "--resume", run_id, "--agent", "searcher"], at);
    const refs = at.git("for-each-ref", "--format=%(refname)", "refs/coord").split("\n");
    const kept = refs.map((ref) => at.git("show", `${ref}:a.txt`));
    const said = kept.find((text) => text.endsWith("searched")) ?? "";
    expect(said, `${stdout}\n${kept.join("\n---\n")}`).toContain("PATH=");
    expect(said).not.toContain(host.token);
    expect(said).toMatch(/fetch failed/);
    expect(host.seen.slice(asked)).toEqual([]);
  });
});
