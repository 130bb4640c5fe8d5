import { describe, expect, it } from "vitest";
import { IntentLock } from "../../../model/plan/intent.js";
import { baseIntent, inputsWith, intentWith, planWith, services, task } from "../../../testing/plan-fixtures.js";
import { sealIntent } from "./seal-intent.js";

const { registry } = inputsWith();
const sealed = (document: unknown) => {
  const result = sealIntent(document, registry, services);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
};

describe("sealIntent", () => {
  it("gives a v0.9.1 intent its checksum and a lock beside it; both together plan [S4-023]", () => {
    const { intent, lock } = sealed(baseIntent());
    if (lock === null) throw new Error("no lock");
    expect(IntentLock.parse(lock)).toEqual(lock);
    expect(lock.intent_checksum).toBe(intent.audit.checksum);
    expect(planWith({ document: intent, lock }).state).toBe("DONE");
    const drifted = planWith({
      document: intent,
      lock,
      registry: (r) => {
        for (const c of r.commands) c.version = "1.0.1";
      },
    });
    expect(drifted.problems.map((p) => `${p.code} ${p.path} ${p.message}`)).toContain(
      "REGISTRY_DRIFT commands.edit_code was 1.0.0, is 1.0.1",
    );
  });

  it("writes the versions into a v1.0.0 intent itself [S4-023]", () => {
    const { intent, lock } = sealed(intentWith({ tasks: [task("T-1")] }));
    expect(lock).toBeNull();
    expect(intent).toMatchObject({ registry_versions: { workflows: { small_change: "1.0.0" } } });
    expect(planWith({ document: intent }).state).toBe("DONE");
  });

  it("gives the same seal to an intent that has none, a wrong one or the right one", () => {
    const { checksum: _, ...audit } = baseIntent().audit;
    const once = sealed({ ...baseIntent(), audit });
    expect(sealed(baseIntent())).toEqual(once);
    expect(sealed(once.intent)).toEqual(once);
  });

  it.each([
    ["a schema error", { ...baseIntent(), title: 1 }, "INTENT_SCHEMA title"],
    [
      "a missing command",
      intentWith({
        intent: (i) =>
          i.planned_commands.push({
            ...(i.planned_commands[0] as (typeof i.planned_commands)[number]),
            command_id: "fly_away",
          }),
      }),
      "REGISTRY_MISSING fly_away",
    ],
    [
      "an unsafe path",
      intentWith({ intent: (i) => (i.scope.targets.files = ["../x"]) }),
      "INTENT_UNSAFE_PATH scope.targets.files[0]",
    ],
    ["nothing at all", null, "INTENT_SCHEMA "],
  ])("does not seal %s", (_, document, problem) => {
    const result = sealIntent(document, registry, services);
    expect(result.ok ? [] : result.problems.map((p) => `${p.code} ${p.path}`)).toEqual([problem]);
  });

  it("refuses a text without bytes, and does not throw", () => {
    const result = sealIntent({ ...baseIntent(), title: "Half \ud800 of it" }, registry, services);
    expect(result.ok).toBe(false);
  });
});
