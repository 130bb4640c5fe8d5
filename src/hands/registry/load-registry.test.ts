import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { Diagnostic } from "../../model/diagnostic.js";
import { Registry } from "../../model/plan/registry.js";
import { loadRegistry, type LoadedRegistry } from "./load-registry.js";

let root: string;
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "registry-"));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = join(root, String(made++));
  await mkdir(directory);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  return directory;
}

async function load(...layers: Readonly<Record<string, string>>[]): Promise<LoadedRegistry> {
  return loadRegistry({ directories: await Promise.all(layers.map(directoryWith)) });
}

/** `file:line:column CODE path`, the file without the directory it lies in. */
function shown({ code, file = "", line, column, path }: Diagnostic): string {
  const inside = relative(root, file).split("/").slice(1).join("/");
  const place = line === undefined ? inside : `${inside}:${line}:${column}`;
  return `${place} ${code} ${path}`.trim();
}

const head = (id: string) => `id: ${id}\nversion: 1.0.0\nstatus: active\ntitle: The ${id}\n`;
const agent = (id: string) => `${head(id)}phases: [analysis]\nresponsibilities: [Do the work]\n`;
const rule = (id: string, when = "1 == 1") => `${head(id)}when: ${when}\nthen:\n  decision: allow\n`;
const command = (id: string, more = "") =>
  `${head(id)}phase: analysis\nowner: dev\neffects: [read]\nestimate: { tokens_in: 1, tokens_out: 1, minutes: 1 }\n${more}`;

describe("loadRegistry", () => {
  test("reads single entries, streams, lists and JSON, in the order of ids [S4-022]", async () => {
    const { registry, diagnostics, sources } = await load({
      "agents/dev.yaml": `---\n${agent("zoe")}---\nkind: agent\n${agent("dev")}`,
      "agents/team/more.yml": `- ${agent("amy").replaceAll("\n", "\n  ").trim()}\n`,
      "rules/one.json":
        '{\n  "id": "json_rule",\n  "version": "1.0.0", "status": "active", "title": "Rule",\n  "when": "1 == 1",\n  "then": {"decision": "warn"}\n}',
      "commands/scan.yaml": command("scan_files"),
      "README.md": "not an entry",
      "agents/notes.txt": "not an entry",
      "agents/.hidden.yaml": "not: an entry",
    });
    expect(diagnostics).toEqual([]);
    expect(registry.agents.map(({ id }) => id)).toEqual(["amy", "dev", "zoe"]);
    expect(registry.rules[0]?.then).toEqual({ decision: "warn", reason: "", mandatory: false, alternatives: [] });
    expect(registry.commands[0]).toMatchObject({ kind: "command", needs: [], capability: "coding" });
    expect(Registry.parse(registry)).toEqual(registry);
    expect([...sources.keys()]).toEqual([
      "agent:amy",
      "agent:dev",
      "agent:zoe",
      "command:scan_files",
      "rule:json_rule",
    ]);
    expect(sources.get("agent:amy")).toMatchObject({ line: 1, column: 3 });
    expect(sources.get("agent:dev")).toMatchObject({ line: 9, column: 1 });
    expect(sources.get("rule:json_rule")).toMatchObject({ line: 1, column: 1, whenLine: 4, whenColumn: 12 });
  });

  test("knows where the text of a condition begins, however it is written", async () => {
    const { sources } = await load({
      "rules/a.yaml": rule("plain", "command.id == 'x'"),
      "rules/b.yaml": rule("quoted", `'"x" in command.effects'`),
      "rules/c.yaml": rule("block", `|-\n    "x" in command.effects\n      && true`),
    });
    const places = ["plain", "quoted", "block"].map((id) => sources.get(`rule:${id}`));
    expect(places.map((source) => [source?.whenLine, source?.whenColumn])).toEqual([
      [5, 7],
      [5, 8],
      [6, 5],
    ]);
  });

  test("lets a later directory replace an entry as a whole", async () => {
    const first = { "agents/a.yaml": agent("dev"), "rules/r.yaml": rule("both", "1 == 1") + "  reason: From below\n" };
    const second = { "rules/other-file.yaml": rule("both", "1 == 2") };
    const { registry, sources, diagnostics } = await load(first, second);
    expect(diagnostics).toEqual([]);
    expect(registry.rules).toHaveLength(1);
    expect(registry.rules[0]?.when).toBe("1 == 2");
    expect(registry.rules[0]?.then.reason).toBe("");
    expect(sources.get("rule:both")?.file).toMatch(/other-file\.yaml$/);
    expect((await load(second, first)).registry.rules[0]).toMatchObject({ when: "1 == 1" });
  });

  test("resolves references over all directories [S4-022]", async () => {
    const { diagnostics } = await load({ "commands/c.yaml": command("scan_files") }, { "agents/a.yaml": agent("dev") });
    expect(diagnostics).toEqual([]);
  });

  test("refuses the same id twice in one directory and names both places [S4-022]", async () => {
    const { registry, diagnostics } = await load({
      "rules/a.yaml": rule("twice", "1 == 1"),
      "rules/b.yaml": `# head\n${rule("twice", "1 == 2")}`,
    });
    expect(diagnostics.map(shown)).toEqual(["rules/b.yaml:2:5 REGISTRY_DUPLICATE id"]);
    expect(diagnostics[0]?.message).toMatch(/the rule twice is already defined at .*rules\/a\.yaml:1:1$/);
    expect(registry.rules[0]?.when).toBe("1 == 1");
  });

  test.each<[title: string, files: Record<string, string>, expected: string[]]>([
    ["syntax", { "rules/a.yaml": "id: x\n  bad: y\n" }, ["rules/a.yaml:1:5 DOCUMENT_SYNTAX"]],
    ["a tab", { "rules/a.yaml": "id: x\nthen:\n\tdecision: allow\n" }, ["rules/a.yaml:3:1 DOCUMENT_SYNTAX"]],
    [
      "a duplicate key",
      { "rules/a.yaml": `${rule("some_rule")}id: y\n` },
      ["rules/a.yaml:8:1 DOCUMENT_DUPLICATE_KEY id"],
    ],
    ["not an entry", { "rules/a.yaml": "- just text\n" }, ["rules/a.yaml:1:3 REGISTRY_ENTRY_INVALID [0]"]],
    [
      "a missing field",
      { "rules/a.yaml": `# head\n- ${head("some_rule").replaceAll("\n", "\n  ")}when: "true"\n` },
      ["rules/a.yaml:2:3 REGISTRY_ENTRY_INVALID [0].then"],
    ],
    [
      "a missing field inside",
      { "rules/a.yaml": `${head("some_rule")}when: "true"\nthen:\n  reason: Because\n` },
      ["rules/a.yaml:7:3 REGISTRY_ENTRY_INVALID then.decision"],
    ],
    [
      "an unknown field",
      { "rules/a.yaml": `${rule("some_rule")}wehn: x\n` },
      ["rules/a.yaml:8:1 REGISTRY_ENTRY_INVALID wehn"],
    ],
    [
      "a wrong value in the second document",
      { "rules/a.yaml": `${rule("some_rule")}---\n${rule("other_rule").replace("allow", "maybe")}` },
      ["rules/a.yaml:15:13 REGISTRY_ENTRY_INVALID then.decision"],
    ],
    [
      "an unsafe path",
      { "agents/d.yaml": agent("dev"), "commands/c.yaml": command("scan_files", "writes:\n  - src/**\n  - ../x\n") },
      ["commands/c.yaml:11:5 REGISTRY_ENTRY_INVALID writes[1]"],
    ],
    [
      "several problems at once",
      { "agents/a.yaml": "id: A\nversion: 1\nstatus: on\ntitle: Some agent\nphases: []\nresponsibilities: [Work]\n" },
      [
        "agents/a.yaml:1:5 REGISTRY_ENTRY_INVALID id",
        "agents/a.yaml:2:10 REGISTRY_ENTRY_INVALID version",
        "agents/a.yaml:3:9 REGISTRY_ENTRY_INVALID status",
        "agents/a.yaml:5:9 REGISTRY_ENTRY_INVALID phases",
      ],
    ],
    [
      "the wrong folder",
      { "rules/a.yaml": `kind: agent\n${agent("dev")}` },
      ["rules/a.yaml:1:7 REGISTRY_ENTRY_INVALID kind"],
    ],
    [
      "a default of another type",
      {
        "facts/f.yaml": `${head("has_tests")}type: bool\nquestion: Are there any tests?\nblocking_level: low\ndefault: "no"\n`,
      },
      ["facts/f.yaml:8:10 REGISTRY_ENTRY_INVALID default"],
    ],
    [
      "broken JSON",
      { "agents/a.json": '[{"id": "dev",\n  "version": 1.0.0}]' },
      ["agents/a.json:2:17 DOCUMENT_SYNTAX"],
    ],
    [
      "an invalid entry in JSON",
      {
        "agents/a.json":
          '[{"id": "dev",\n  "version": "1.0.0", "status": "on", "title": "Dev", "phases": ["analysis"],\n  "nonsense": 1, "responsibilities": ["Work"]}]',
      },
      ["agents/a.json:2:33 REGISTRY_ENTRY_INVALID [0].status", "agents/a.json:3:3 REGISTRY_ENTRY_INVALID [0].nonsense"],
    ],
    [
      "dangling references",
      {
        "agents/a.yaml": agent("amy"),
        "commands/c.yaml": command("scan_files", "needs: [scan_files, gone]\nequivalents:\n  - lost\n"),
        "workflows/w.yaml": `${head("flow")}phases:\n  - phase: analysis\n    purpose: See\n    commands: [scan_files, missing]\n`,
      },
      [
        "commands/c.yaml:6:8 REGISTRY_DANGLING_REFERENCE owner",
        "commands/c.yaml:9:21 REGISTRY_DANGLING_REFERENCE needs[1]",
        "commands/c.yaml:11:5 REGISTRY_DANGLING_REFERENCE equivalents[0]",
        "workflows/w.yaml:8:28 REGISTRY_DANGLING_REFERENCE phases[0].commands[1]",
      ],
    ],
    ["an unknown folder", { "rulez/a.yaml": rule("some_rule") }, ["rulez REGISTRY_UNKNOWN_FOLDER"]],
    ["a file outside the folders", { "a.yaml": rule("some_rule") }, ["a.yaml REGISTRY_UNKNOWN_FOLDER"]],
    [
      "an alias bomb",
      {
        "rules/a.yaml": [
          "a0: &a0 x",
          ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
        ].join("\n"),
      },
      ["rules/a.yaml:1:1 DOCUMENT_ALIASES"],
    ],
  ])("reports %s at its place [S4-094]", async (_title, files, expected) => {
    const { diagnostics } = await load(files);
    expect(diagnostics.map(shown)).toEqual(expected);
    for (const diagnostic of diagnostics) expect(diagnostic.message).not.toBe("");
  });

  test("tells an author that a word needs quotes", async () => {
    const { diagnostics } = await load({ "rules/a.yaml": rule("some_rule", "true") });
    expect(diagnostics.map(({ fix }) => fix)).toEqual(["Put the value in quotes."]);
  });

  test("says how to mend what is wrong", async () => {
    const { diagnostics } = await load({
      "rules/a.yaml": `${head("some_rule")}wehn: "true"\nthen: { decision: allow }\n`,
    });
    expect(diagnostics.map(({ message, fix }) => [message, fix])).toEqual([
      ["is missing", "Add the field when."],
      ["is not a field of a rule", "Did you mean when?"],
    ]);
  });

  test("keeps the valid entries beside the broken ones", async () => {
    const { registry, diagnostics } = await load({ "agents/a.yaml": `${agent("dev")}---\nid: broken\n` });
    expect(registry.agents.map(({ id }) => id)).toEqual(["dev"]);
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  test("refuses a missing directory unless it is optional", async () => {
    const path = join(root, "nowhere");
    const missing = await loadRegistry({ directories: [path] });
    expect(missing.diagnostics).toMatchObject([{ code: "REGISTRY_DIRECTORY_MISSING", file: path }]);
    expect(missing.diagnostics[0]?.fix).toContain("workflows, agents, commands, rules");
    expect((await loadRegistry({ directories: [{ path, optional: true }] })).diagnostics).toEqual([]);
  });

  test("does not follow links out of the directory, and reads what a link names twice only once", async () => {
    const outside = await directoryWith({ "rules/o.yaml": rule("outside") });
    const directory = await directoryWith({ "rules/a.yaml": rule("inside") });
    await symlink(join(outside, "rules/o.yaml"), join(directory, "rules/link.yaml"));
    await symlink(join(outside, "rules"), join(directory, "rules/folder"));
    await symlink(join(directory, "nothing"), join(directory, "rules/broken.yaml"));
    await symlink(join(directory, "rules/a.yaml"), join(directory, "rules/again.yaml"));
    await symlink(join(directory, "rules"), join(directory, "rules/loop"));
    const { registry, diagnostics } = await loadRegistry({ directories: [directory] });
    expect(registry.rules.map(({ id }) => id)).toEqual(["inside"]);
    expect(diagnostics.map(shown)).toEqual([
      "rules/broken.yaml REGISTRY_LINK_OUTSIDE",
      "rules/folder REGISTRY_LINK_OUTSIDE",
      "rules/link.yaml REGISTRY_LINK_OUTSIDE",
    ]);
  });

  test("gives the same registry however the entries are spread over files", async () => {
    const entries = Array.from({ length: 12 }, (_, i) => ({
      id: `agent_${(i * 7) % 12}${i % 2 === 0 ? "_x" : ""}`,
      version: "1.0.0",
      status: "active",
      title: `Agent ${i}`,
      phases: ["analysis", "review"],
      responsibilities: ["Do the work"],
    }));
    const reference = await load({ "agents/all.yaml": stringify(entries) });
    expect(reference.diagnostics).toEqual([]);
    expect(reference.registry.agents).toHaveLength(12);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(entries, { minLength: entries.length }),
        fc.array(fc.record({ file: fc.nat(4), form: fc.constantFrom("list", "stream", "json") }), {
          minLength: 12,
          maxLength: 12,
        }),
        async (shuffled, places) => {
          const files: Record<string, string> = {};
          for (const [file, { form }] of places.slice(0, 5).entries()) {
            const group = shuffled.filter((_, i) => places[i]?.file === file);
            if (group.length === 0) continue;
            if (form === "json") files[`agents/${file}.json`] = JSON.stringify(group);
            else if (form === "list") files[`agents/${file}.yml`] = stringify(group);
            else files[`agents/sub/${file}.yaml`] = group.map((entry) => stringify(entry)).join("---\n");
          }
          const { registry, diagnostics } = await load(files);
          expect(diagnostics).toEqual([]);
          expect(registry).toEqual(reference.registry);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("guardrails", () => {
  const guardrail = (id: string, more: string) =>
    `${head(id)}watches: tool_use\nseverity: frozen\nreason: Because.\n${more}`;

  test("are read in the order of ids, and are not part of the registry a plan keeps", async () => {
    const { registry, guardrails, diagnostics, sources } = await load({
      "guardrails/b.yaml": `---\n${guardrail("zebra", "when: use.named\n")}---\n${guardrail("ape", "when: use.named\n")}`,
    });
    expect(diagnostics).toEqual([]);
    expect(guardrails.map(({ id }) => id)).toEqual(["ape", "zebra"]);
    expect(Object.keys(registry)).toEqual(Object.keys(Registry.shape));
    expect(JSON.stringify(registry)).not.toContain("zebra");
    expect(sources.get("guardrail:ape")).toMatchObject({ whenLine: 18, whenColumn: 7 });
  });

  test("that contradict themselves are refused, each at its field", async () => {
    const { diagnostics } = await load({
      "guardrails/a.yaml": guardrail("no_condition", ""),
      "guardrails/b.yaml": guardrail("with_lines", "when: use.named\nadded: [debugger]\n"),
      "guardrails/c.yaml": guardrail("too_mild", "when: use.named\n").replace("frozen", "warn"),
      "guardrails/d.yaml": guardrail("with_condition", "when: use.named\n").replace("tool_use", "result"),
      "guardrails/e.yaml": guardrail("no_check", "").replace("tool_use", "result").replace("frozen", "validate"),
    });
    expect(diagnostics.map(shown)).toEqual([
      "guardrails/a.yaml:1:1 REGISTRY_ENTRY_INVALID when",
      "guardrails/b.yaml:5:10 REGISTRY_ENTRY_INVALID watches",
      "guardrails/c.yaml:6:11 REGISTRY_ENTRY_INVALID severity",
      "guardrails/d.yaml:8:7 REGISTRY_ENTRY_INVALID when",
      "guardrails/e.yaml:1:1 REGISTRY_ENTRY_INVALID validation",
    ]);
  });
});
