import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compilePolicy } from "../../mind/route/compile-policy.js";
import { shippedModel } from "../../testing/learned-models.js";
import { stateFolder } from "../project/state-folder.js";
import { countCorrections, keepCorrection } from "./corrections.js";
import { routeCorrection } from "./route-correction.js";

const compiled = compilePolicy(parse(readFileSync("policy/routing.yaml", "utf8")), shippedModel("routing"));
if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
const { policy } = compiled;

const none = (message: string) => expect.fail(message);
const VAGUE = "make it better";

describe("what a person corrects", () => {
  it("is a route that the policy would have taken otherwise, with the rule that was wrong", () => {
    expect(routeCorrection(policy, VAGUE, "technical")).toMatchObject({
      kind: "route",
      text: VAGUE,
      decided: { rule_id: "uncertain" },
      chosen: { category: "technical_explicit" },
    });
    expect(routeCorrection(policy, VAGUE, "product")).toBeNull();
  });

  it("is kept in the project, once, and counted", async () => {
    const at = stateFolder(mkdtempSync(join(tmpdir(), "corrections-")));
    const found = routeCorrection(policy, VAGUE, "technical");
    if (found === null) throw new Error("nothing was corrected");
    const correction = { ...found, by: "ada", at: "2026-01-01T00:00:00Z" };
    expect(await countCorrections(at)).toEqual({ route: 0, refusal: 0, hold: 0, task: 0 });
    await keepCorrection(at, correction, none);
    await keepCorrection(at, { ...correction, at: "2026-01-02T00:00:00Z" }, none);
    await keepCorrection(at, { ...correction, kind: "refusal" }, none);
    await keepCorrection(at, { ...correction, kind: "hold" }, none);
    expect(await countCorrections(at)).toEqual({ route: 1, refusal: 1, hold: 1, task: 0 });
    const [line = ""] = readFileSync(join(at.folder, "corrections.jsonl"), "utf8").split("\n");
    expect(JSON.parse(line)).toEqual(correction);
    expect(readFileSync(join(at.folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("is kept without secrets, and once for each", async () => {
    const at = stateFolder(mkdtempSync(join(tmpdir(), "corrections-")));
    const token = `ghp_${"aB3dE6gH9j".repeat(4).slice(0, 36)}`;
    const correction = {
      kind: "task",
      text: `Use ${token}`,
      decided: { category: "task", rule_id: "adr_tasks" },
      chosen: { category: "task", text: `Use the token ${token}` },
      by: "ada",
      at: "2026-01-01T00:00:00Z",
    } as const;
    await keepCorrection(at, correction, none);
    await keepCorrection(at, correction, none);
    const kept = readFileSync(join(at.folder, "corrections.jsonl"), "utf8");
    expect(kept).not.toContain(token);
    expect(kept.trim().split("\n")).toHaveLength(1);
  });

  it("is said, and breaks nothing, where it cannot be kept", async () => {
    const said: string[] = [];
    const at = { ...stateFolder("/proc/nowhere"), folder: "/proc/nowhere/.coordinator" };
    const correction = { kind: "task", text: "x", decided: { category: "task", rule_id: "r" } } as const;
    await keepCorrection(at, { ...correction, chosen: { category: "none" }, by: "ada", at: "t" }, (m) => said.push(m));
    expect(said).toHaveLength(1);
  });
});
