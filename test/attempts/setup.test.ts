import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { attemptOnce } from "./attempt.js";

const setupOf = (run: string, more: Readonly<Record<string, unknown>> = {}) => ({
  setup: { run, inputs: [], keeps: [], mounts: [], minutes: 1, ...more },
});

describe("an attempt in a workspace that setup made ready", () => {
  it("has only its own work in its change, whatever setup left there unignored", async () => {
    const { result } = await attemptOnce({
      order: setupOf("mkdir -p deps gen && echo a > deps/a && echo x > gen/x && echo y > gen.txt", { keeps: ["deps"] }),
      steps: [
        { write: "src/new.txt", text: "new\n" },
        // As a check would that makes the same again.
        { run: "echo y > gen.txt" },
        { say: "Done." },
      ],
    });
    expect(result.outcome).toMatchObject({ kind: "completed" });
    expect(result.changes.map(({ path }) => path)).toEqual(["src/new.txt"]);
    expect(result.notices).toEqual([]);
    expect(result.salvage).toBeNull();
  });

  it("ends as one whose environment was not ready when setup fails, with the error and the whole log", async () => {
    const { result } = await attemptOnce({
      order: setupOf("echo 'error: no such package'; for i in $(seq 100); do echo chatter $i; done; exit 3"),
      steps: [{ say: "Done." }],
    });
    expect(result.outcome).toMatchObject({
      kind: "environment",
      message: expect.stringContaining("failed with exit code 3:\nerror: no such package") as unknown,
    });
    if (result.outcome.kind !== "environment") return;
    expect(readFileSync(result.outcome.log_ref ?? "", "utf8")).toContain("chatter 50");
    expect(result.usage.amounts).toMatchObject({ tokens: 0, files: 0 });
  });
});
