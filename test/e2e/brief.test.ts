import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REQUIREMENTS_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { beforeAll, describe, expect, it } from "vitest";
import { openStatement } from "../../src/app/merge/merge-statement.js";
import { loadSigningKey } from "../../src/hands/store/chain/signing-key.js";
import { ensureBuilt } from "../build.js";
import { toTheEnd } from "./lives.js";
import { makeProject, PROGRAM, type Project } from "./project.js";

/* A run that is begun with a brief: what its builders are told, and what is proven of the whole in the end. */

const SPEC = {
  schema_version: "1.0.0",
  id: "IS-pages",
  objective: "The handbook has its first page.",
  requirements: [
    {
      id: "REQ-1",
      description: "The page is there.",
      verification: { kind: "file_exists", path: "docs/page-1.txt" },
      source: "request: page",
    },
  ],
  constraints: [],
  out_of_scope: ["A second page"],
  assumptions: [],
  context_refs: ["docs/style.md"],
};
const BRIEF = {
  request: "Write the first page",
  spec: SPEC,
  documents: [{ ref: "docs/style.md", text: "Write as the lighthouse keeper would.\n" }],
};

const PAGE = { write: "docs/page-1.txt", text: "whole\n" };

function handbook(script: Parameters<typeof makeProject>[0]["script"]): Project {
  return makeProject({
    files: { "docs/book.txt": "A book.\n" },
    tasks: [{ id: "page-1", dependencies: [] }],
    script,
    configuration: { checks: [{ name: "book", run: "grep -q book docs/book.txt" }] },
  });
}

function coordinator({ project, environment }: Project, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: project,
    env: environment,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

function withBrief(project: Project, brief: unknown, ...args: string[]) {
  writeFileSync(join(project.folder, "brief.json"), JSON.stringify(brief));
  return coordinator(project, "run", "--plan", "plan", "--brief", "../brief.json", ...args);
}

beforeAll(ensureBuilt);

describe("the requirements of a run", () => {
  const requirement = (id: string, verification: unknown, priority = "must_have") => ({
    id,
    description: `${id} is so.`,
    verification,
    source: "request: page",
    priority,
  });
  const requirements = [
    requirement("REQ-1", { kind: "file_exists", path: "docs/page-1.txt" }),
    requirement("REQ-2", { kind: "file_contains", path: "docs/*.txt", text: "whole" }),
    requirement("REQ-3", { kind: "command", run: "grep -c whole docs/page-1.txt" }),
    requirement("REQ-4", { kind: "check", name: "pages" }),
    requirement("REQ-5", { kind: "test", name: "page-1 is whole" }),
    requirement("REQ-6", { kind: "file_exists", path: "docs/page-2.txt" }, "nice_to_have"),
  ];
  const CHECK =
    'grep -q whole docs/page-1.txt && echo "ok 1 - page-1 is whole" || echo "not ok 1 - page-1 is whole"; echo 1..1';

  function specified(): Project {
    return makeProject({
      files: { "docs/book.txt": "A book.\n", "docs/page-1.txt": "to be whole one day\n" },
      tasks: [{ id: "page-1", dependencies: [] }],
      script: [
        // Whoever is told what must be true in the end knows what to write.
        { prompt_has: "REQ-2: REQ-2 is so. It holds when a file", steps: [PAGE, { say: "DOCS_COMPLETE" }] },
      ],
      configuration: { checks: [{ name: "pages", kind: "test", run: CHECK, report: { format: "tap" } }] },
    });
  }
  const brief = (...more: unknown[]) => ({ ...BRIEF, spec: { ...SPEC, requirements: [...requirements, ...more] } });

  it("are proven on the tree of the whole run, once, whenever it is killed, and stand in the proof of the merge", async () => {
    const project = specified();
    const deaths = REQUIREMENTS_CRASH_POINTS.map((point) => ({ at: `${point}@run` }));
    writeFileSync(join(project.folder, "brief.json"), JSON.stringify(brief()));
    const ended = await toTheEnd(project, deaths, 4, ["--brief", "../brief.json"]);
    expect(ended.lives.map(({ signal }) => signal)).toEqual(["SIGKILL", "SIGKILL", null]);
    const judged = ended.events.filter(({ type }) => type === "requirements_judged");
    const tree = project.git("rev-parse", `refs/coord/${ended.run_id}/head^{tree}`);
    expect(judged).toMatchObject([{ round: 1, tree, ref: expect.stringMatching(/^sha256:/) as unknown }]);
    const results = judged[0]?.["results"] as { id: string; holds: boolean }[];
    expect(results.map(({ id, holds }) => [id, holds])).toEqual([
      ...["REQ-1", "REQ-2", "REQ-3", "REQ-4", "REQ-5"].map((id) => [id, true]),
      ["REQ-6", false],
    ]);
    expect(coordinator(project, "verify", ended.run_id).code).toBe(0);
    const records = join(project.project, ".coordinator/records", ended.run_id);
    const proof = join(records, "requirements%201.json");
    const seen = readFileSync(proof, "utf8");
    writeFileSync(proof, seen.replace('"holds": false', '"holds": true'));
    renameSync(join(records, "brief.json"), join(records, "brief.gone"));
    const changed = coordinator(project, "verify", ended.run_id);
    const told = changed.stdout.replaceAll(/\s+/g, " ");
    expect(changed.code).toBe(5);
    expect(told).toMatch(/"requirements 1", sha256:\w+, is not what it was/);
    expect(told).toMatch(/"brief", sha256:\w+, is missing/);
    writeFileSync(proof, seen);
    renameSync(join(records, "brief.gone"), join(records, "brief.json"));
    const { stdout } = coordinator(project, "status", "last");
    expect(stdout).toContain("Requirements (5 of 6 hold on ");
    expect(stdout).toContain("! REQ-6 (nice to have) does not hold: there is no docs/page-2.txt");
    const merged = coordinator(project, "merge", "last", "--by", "ada");
    expect(merged.stdout).toContain("requirements: 5 of 6 hold, not REQ-6");
    const note = project.git("notes", "--ref=coord", "show", "main");
    const key = loadSigningKey(join(project.project, ".coordinator")).publicKeyPem;
    expect(openStatement(JSON.parse(note) as never, key)).toMatchObject({
      predicate: { requirements: { spec_id: "IS-pages", tree, results } },
    });
  });

  it("hold a run up when one that must hold does not: a person is asked, and nothing is merged unseen [S0-055]", () => {
    const project = specified();
    const waits = withBrief(project, brief(requirement("REQ-7", { kind: "command", run: "test -e docs/page-3.txt" })));
    expect(waits.code).toBe(3);
    const { entries } = JSON.parse(coordinator(project, "inbox", "--json").stdout) as {
      entries: { id: string; about: string }[];
    };
    expect(entries).toHaveLength(1);
    expect(entries[0]?.about).toContain("does not meet its specification: 1 of 7 requirements: REQ-7 does not hold");
    const merge = ["merge", "last", "--by", "ada"];
    expect(coordinator(project, ...merge)).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("REQ-7") as unknown,
    });
    // Looked at again because a person says so, and by nobody else.
    expect(coordinator(project, "answer", entries[0]?.id ?? "", "--order", "resume").code).toBe(0);
    expect(coordinator(project, "run", "--last").code).toBe(3);
    const { stdout } = coordinator(project, "watch", "last", "--json");
    expect(stdout.match(/"type":"requirements_judged"/g)).toHaveLength(2);
    expect(stdout.match(/"type":"attempt_started"/g)).toHaveLength(1);
    expect(coordinator(project, ...merge, "--partial").stdout).toContain("not REQ-6, REQ-7");
  });
});

describe("a run with a brief", () => {
  it("gives its builders the documents it was begun with [S0-035]", () => {
    const project = handbook([
      // Nobody knows what to do but by the document.
      { prompt_has: "as the lighthouse keeper would", steps: [PAGE, { say: "DOCS_COMPLETE" }] },
    ]);
    const ended = withBrief(project, BRIEF);
    expect(ended).toMatchObject({ code: 0 });
    const { stdout } = coordinator(project, "status", "last", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ request: "Write the first page", status: "completed" });
  });

  it("begins nothing on a brief that is not whole, and says where it is not", () => {
    const project = handbook([]);
    const bad = withBrief(project, { ...BRIEF, spec: { ...SPEC, out_of_scope: [] }, more: 1 });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain("out_of_scope");
    expect(bad.stderr).toContain("more");
    const forged = withBrief(project, { ...BRIEF, spec: { spec: SPEC, checksum: "0".repeat(64) } });
    expect(forged.code).toBe(2);
    expect(forged.stderr).toContain("is not the checksum of IS-pages");
    expect(coordinator(project, "run", "--last", "--brief", "../brief.json").stderr).toContain("when a run begins");
    expect(coordinator(project, "run", "--plan", "plan", "--brief", "none.json").code).toBe(2);
    expect(coordinator(project, "status").stdout).toContain("No run was started here yet.");
  });
});
