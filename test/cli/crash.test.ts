import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { coordinator, FEATURE, NOW, QUESTIONS, root, snapshot, workFolder } from "./program.js";

const preload = [pathToFileURL(join(root, "test", "chaos", "at-crash-point.mjs")).href];
const at = (point: string, signal = "SIGKILL") => ({ TEST_CRASH_AT: point, TEST_CRASH_SIGNAL: signal });
const LATER = "2026-03-04T05:06:07Z";

let made: Promise<{ cwd: string; old: Record<string, string>; wanted: Record<string, string> }> | null = null;

/** A folder with an old plan in it, and what the old and the new plan look like when nothing goes wrong. */
async function twoPlans() {
  made ??= makeTwoPlans();
  const { cwd: from, old, wanted } = await made;
  const cwd = workFolder();
  cpSync(from, cwd, { recursive: true });
  return { cwd, old, wanted };
}

async function makeTwoPlans() {
  const cwd = workFolder("feature-plan", "kept");
  await coordinator(["plan", ...FEATURE, "--now", NOW, "--out", "plan"], { cwd });
  const old = snapshot(join(cwd, "plan"));
  const policy = join(cwd, "policy.yaml");
  writeFileSync(policy, readFileSync(policy, "utf8").replace("[grace]", "[ada]"));
  await coordinator(["plan", ...FEATURE, "--now", LATER, "--out", "wanted"], { cwd });
  return { cwd, old, wanted: snapshot(join(cwd, "wanted")) };
}

describe("a crash while a plan is replaced", () => {
  it.each(CRASH_POINTS)("kill -9 at %s leaves the whole old plan or the whole new one [S4-096]", async (point) => {
    const { cwd, old, wanted } = await twoPlans();
    const args = ["plan", ...FEATURE, "--now", LATER, "--out", "plan"];
    const killed = await coordinator(args, { cwd, preload, env: at(point) });
    expect([killed.code, killed.signal]).toEqual([null, "SIGKILL"]);

    const verified = await coordinator(["verify", "plan"], { cwd });
    expect(verified.code).toBe(0);
    const found = snapshot(join(cwd, "plan"));
    const whole = [old, wanted].some((plan) => JSON.stringify(plan) === JSON.stringify(found));
    expect(whole).toBe(true);

    const again = await coordinator(args, { cwd });
    expect(again.code).toBe(0);
    expect(snapshot(join(cwd, "plan"))).toEqual(wanted);
  });

  it("kill -9 again and again, at one point after another, and the plan is whole", async () => {
    const { cwd, wanted } = await twoPlans();
    const args = ["plan", ...FEATURE, "--now", LATER, "--out", "plan"];
    for (const point of [...CRASH_POINTS, ...CRASH_POINTS.toReversed()])
      expect((await coordinator(args, { cwd, preload, env: at(point) })).signal).toBe("SIGKILL");
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);
    await coordinator(args, { cwd });
    expect(snapshot(join(cwd, "plan"))).toEqual(wanted);
  });

  it.each(CRASH_POINTS)("kill -9 at %s while resuming leaves a plan that waits or one that is done", async (point) => {
    const cwd = workFolder("questions");
    await coordinator(["plan", ...QUESTIONS, "--out", "plan"], { cwd });
    const args = ["plan", "--resume", "plan", "--answers", "answers.json"];
    expect((await coordinator(args, { cwd, preload, env: at(point) })).signal).toBe("SIGKILL");
    const { code, stdout } = await coordinator(["verify", "plan"], { cwd });
    expect(code).toBe(0);
    if (stdout.includes("AWAITING_ANSWERS")) expect((await coordinator(args, { cwd })).code).toBe(0);
    else expect(stdout).toContain("DONE");
  });

  it("Ctrl-C ends with 130 and says that nothing is half done", async () => {
    const { cwd, old, wanted } = await twoPlans();
    const args = ["plan", ...FEATURE, "--now", LATER, "--out", "plan"];
    const stopped = await coordinator(args, { cwd, preload, env: at("plan.files_written", "SIGINT") });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain("Interrupted.");
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);
    expect([old, wanted]).toContainEqual(snapshot(join(cwd, "plan")));
  });

  it("the old plan is still found when its folder was set aside by hand", async () => {
    const { cwd, old } = await twoPlans();
    renameSync(join(cwd, "plan"), join(cwd, ".plan.previous"));
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);
    expect(snapshot(join(cwd, "plan"))).toEqual(old);
  });
});
