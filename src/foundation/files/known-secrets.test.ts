import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openProject } from "../../app/project/project.js";
import { openRecords, recordRef } from "../../hands/attempts/run-records.js";
import { writePlanFolder } from "../../hands/store/plan-folder.js";
import { writeSynced } from "./durable.js";
import { withoutKeys, withoutSecrets } from "./known-secrets.js";

const SECRET = 'canary "quoted" é-5f0c9a7e31';
const TOKEN = ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_");

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-unsaid-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

afterEach(() => vi.unstubAllEnvs());

describe("what a process must not write down", () => {
  it("is found in values, in names, in JSON text and byte by byte, and twice is once", () => {
    vi.stubEnv("TEAM_TOKEN", SECRET);
    const said = { [SECRET]: [`a ${SECRET} b`, JSON.stringify({ SECRET }), Buffer.from(SECRET).toString("latin1"), 7] };
    const clean = withoutKeys(said);
    const mark = "[secret TEAM_TOKEN]";
    expect(clean).toEqual({ [mark]: [`a ${mark} b`, JSON.stringify({ SECRET: mark }), mark, 7] });
    expect(withoutKeys(clean)).toEqual(clean);
  });

  it("is what is shaped like a secret too, where others speak; what is written is what the checksum is of", async () => {
    vi.stubEnv("TEAM_TOKEN", SECRET);
    expect(withoutSecrets(`it printed ${TOKEN}`)).toBe("it printed [GitHub token]");
    const records = openRecords(folder());
    const value = { output: `${SECRET} ${TOKEN}` };
    const { ref, path } = await records.write("verdict", value);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ output: "[secret TEAM_TOKEN] [GitHub token]" });
    expect([await records.refNow("verdict"), recordRef(value)]).toEqual([ref, ref]);
  });

  it("is what settings name as a key, whatever the variable is called", async () => {
    const root = folder();
    const value = "canary-of-an-ordinary-name-1";
    const models = {
      small: { provider: "openai", model: "m", base_url: "http://127.0.0.1:9", key_env: "ORDINARY_NAME" },
    };
    const env = { HOME: root, ORDINARY_NAME: value };
    mkdirSync(join(root, ".config/coordinator"), { recursive: true });
    await writeSynced(join(root, ".config/coordinator/config.yaml"), JSON.stringify({ models }));
    expect(withoutKeys(value)).toBe(value);
    expect((await openProject({ cwd: root, environment: env }).settings()).problems).toEqual([]);
    await writeSynced(join(root, "some.txt"), `it is ${value}`);
    expect(readFileSync(join(root, "some.txt"), "utf8")).toBe("it is [secret ORDINARY_NAME]");
  });

  it("keeps a plan from being written that says one: it would not be what its manifest seals", async () => {
    vi.stubEnv("TEAM_TOKEN", SECRET);
    const at = join(folder(), "plan");
    const files = new Map([["inputs/intent.json", JSON.stringify({ title: SECRET })]]);
    await expect(writePlanFolder(at, files)).rejects.toThrow(
      "The plan would say the value of TEAM_TOKEN in inputs/intent.json",
    );
  });
});
