import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examine } from "../../src/cli/commands/doctor.js";
import { coordinator, coordinatorJson, workFolder } from "./program.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";

describe("doctor", () => {
  it("says what is here and how to get what is not, and never what a secret is", async () => {
    const cwd = workFolder();
    const env = { HOME: cwd, PATH, OPENAI_API_KEY: "sk-secret-canary" };
    const text = await coordinator(["doctor"], { cwd, env });
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toMatch(/^\+ good {5}node /m);
    expect(text.stdout).toMatch(/^\+ good {5}git +\d/m);
    expect(text.stdout).toMatch(/ {2}\+ scripted +\d/);
    expect(text.stdout).toMatch(/Ready\.\n$/);
    const { json, stdout } = await coordinatorJson(["doctor"], { cwd, env });
    expect(json).toMatchObject({ type: "doctor", ready: true });
    expect(text.stdout + stdout).not.toContain("canary");
  });

  it("fails when something that is needed is missing, and says how to fix it", async () => {
    const cwd = workFolder();
    const bin = join(cwd, "bin");
    mkdirSync(bin);
    const { exitCode, report } = await examine({ cwd, env: { HOME: cwd, PATH: bin }, node: "18.0.0" });
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({
      ready: false,
      checks: [
        { name: "node", status: "bad", fix: "Install Node.js 20.19 or newer." },
        { name: "git", status: "bad", detail: "not found", fix: "Install git 2.38 or newer." },
        { name: "store", status: "good" },
        { name: "sandbox", status: "unknown" },
        { name: "agents", status: "weak" },
      ],
    });
  });

  it("tells what the sandbox's own report says", async () => {
    const cwd = workFolder();
    chmodSync(cwd, 0o755);
    const bad = { name: "sandbox", status: "bad", detail: "no bubblewrap", fix: "apt install bubblewrap" } as const;
    const { exitCode, report } = await examine({
      cwd,
      env: { PATH, HOME: cwd },
      node: "22.0.0",
      sandbox: async () => bad,
    });
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ checks: expect.arrayContaining([bad]) });
  });
});
