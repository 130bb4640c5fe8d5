import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { coordinatorJson, root, workFolder } from "../cli/program.js";

const SCRIPT = join(root, "ci", "coordinator.sh");
const MAIN = join(root, "dist", "cli", "main.js");

/** The script of the pipelines with a program that says what it was given. */
async function step(env: Readonly<Record<string, string>>, code = 0) {
  const folder = workFolder();
  const main = join(folder, "main.mjs");
  writeFileSync(
    main,
    `console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env })); process.exitCode = ${code};\n`,
  );
  const summary = join(folder, "summary.md");
  const child = spawn("sh", [SCRIPT], {
    cwd: folder,
    env: { PATH: process.env["PATH"], COORDINATOR_MAIN: main, GITHUB_STEP_SUMMARY: summary, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const told = out.startsWith("{") ? (JSON.parse(out) as { args: string[]; env: Record<string, string> }) : null;
  return { code: ended, err, told, folder, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
}

const SECRETS = { COORDINATOR_GITHUB_TOKEN: "a-secret", GITHUB_TOKEN: "a-secret", NPM_TOKEN: "a-secret" };

describe("the steps of a pipeline", () => {
  it("plan an issue, for which waiting is no failure, and publish a run", async () => {
    const issue = "https://github.com/ada/app/issues/12";
    const plan = await step({ COORDINATOR_MODE: "plan", COORDINATOR_ISSUE: issue }, 3);
    expect([plan.code, plan.told?.args]).toEqual([0, ["plan", "--issue", issue]]);
    const publish = await step({ COORDINATOR_MODE: "publish", COORDINATOR_RUN: "run_1" }, 3);
    expect([publish.code, publish.told?.args]).toEqual([3, ["publish", "run_1"]]);
  });

  it("verify without any secret, and quote what was said", async () => {
    const { code, told, summary } = await step(
      { ...SECRETS, COORDINATOR_MODE: "verify", COORDINATOR_RECORD: "plan" },
      5,
    );
    expect([code, told?.args]).toEqual([5, ["verify", "plan"]]);
    expect(JSON.stringify(told)).not.toContain("a-secret");
    expect(Object.keys(told?.env ?? {})).not.toContain("COORDINATOR_GITHUB_TOKEN");
    expect(summary.split("\n").filter((line) => line !== "" && !line.startsWith("    "))).toEqual([]);
  });

  it("verify a real record for a fork, and fail for one that was changed", async () => {
    const record = join(workFolder(), "plan");
    const made = await coordinatorJson(
      ["plan", "Document a.txt in README.md", "--type", "technical", "--out", record],
      {
        cwd: workFolder(),
      },
    );
    expect([made.code, made.json["state"] ?? made.json["type"]], made.stdout).toEqual([0, expect.any(String)]);
    const env = { ...SECRETS, COORDINATOR_MODE: "verify", COORDINATOR_RECORD: record, COORDINATOR_MAIN: MAIN };
    const whole = await step(env, 0);
    expect([whole.code, whole.summary.split("\n").every((line) => line === "" || line.startsWith("    "))]).toEqual([
      0,
      true,
    ]);
    const graph = join(record, "graph.json");
    writeFileSync(graph, readFileSync(graph, "utf8").replace("Document a.txt", "Remove a.txt"));
    const changed = await step(env, 0);
    expect([changed.code, changed.summary]).toEqual([5, expect.stringMatching(/checksum|changed|differs/)]);
  });

  it.each(["$(touch made)", "a; touch made", "a\ntouch made", "--yes", "`touch made`", "", "a b"])(
    "take no command for a value: %j",
    async (value) => {
      for (const mode of ["plan", "verify", "publish"]) {
        const names = { COORDINATOR_ISSUE: value, COORDINATOR_RECORD: value, COORDINATOR_RUN: value };
        const { code, told, err, folder } = await step({ COORDINATOR_MODE: mode, ...names });
        expect([code, told, err]).toEqual([2, null, expect.stringContaining("coordinator: COORDINATOR_")]);
        expect(existsSync(join(folder, "made"))).toBe(false);
      }
    },
  );

  it("put no text of others into a command: expressions stand in variables and conditions alone", () => {
    const action = parse(readFileSync(join(root, "ci", "github", "action.yml"), "utf8")) as {
      runs: { using: string; steps: { run: string; env: Record<string, string>; uses?: string }[] };
    };
    expect(action.runs.using).toBe("composite");
    for (const one of action.runs.steps) expect([one.run.includes("${{"), one.uses]).toEqual([false, undefined]);
    const verify = action.runs.steps.find(({ env }) => env["COORDINATOR_MODE"] === "verify");
    expect(Object.values(verify?.env ?? {}).join(" ")).not.toContain("token");
    const jobs = parse(readFileSync(join(root, "ci", "gitlab", "coordinator.gitlab-ci.yml"), "utf8")) as object;
    const scripts = Object.values(jobs).flatMap(({ script = [] }: { script?: string[] }) => script);
    expect(scripts).toEqual(['sh "$COORDINATOR_HOME/ci/coordinator.sh"']);
    expect(Object.keys(jobs)).toEqual([
      ".coordinator",
      ".coordinator-plan",
      ".coordinator-verify",
      ".coordinator-publish",
    ]);
  });
});
