import { describe, expect, it } from "vitest";
import { AdrTask } from "../../model/adr.js";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { breakDown } from "./break-down.js";
import { parseAdr } from "./parse-adr.js";

const MODEL = await readLearnedModel("adr");

const CERTIFICATION = `# ADR-023: Certification Tracking

## Status

Accepted

## Implementation Notes

- Create certification_completions table
- Add API endpoint for completion
- Build completion form UI
- Write tests
`;

const of = (text: string, file = "docs/adr/0023-certifications.md") => breakDown(parseAdr(text, file), MODEL);
const titles = (text: string) => of(text).tasks.map(({ title }) => title);
const record = (body: string, status = "Accepted") => `# 23. Track things\n\n## Status\n\n${status}\n\n${body}\n`;
const work = (...lines: readonly string[]) => record(`## Implementation\n\n${lines.join("\n")}`);
/** Each task's dependencies by their last digits. */
const waits = (text: string) =>
  of(text).tasks.map(({ dependencies }) => dependencies.map(({ task }) => Number(task.slice(-3))));

describe("breakDown", () => {
  it("makes of ADR-023 four tasks in the order of the flow of data [S3-011, S3-025, S3-026, S3-027, S3-028]", () => {
    const { tasks, held } = of(CERTIFICATION);
    expect(held).toBeNull();
    expect(tasks.map(({ id, type, agent }) => [id, type, agent])).toEqual([
      ["TASK-023-001", "feature", "FeatureBuilder"],
      ["TASK-023-002", "feature", "FeatureBuilder"],
      ["TASK-023-003", "feature", "FeatureBuilder"],
      ["TASK-023-004", "test", "TestWriter"],
    ]);
    expect(waits(CERTIFICATION)).toEqual([[], [1], [2], [1, 2, 3]]);
    expect(tasks[1]?.dependencies[0]?.reason).toBe("the service needs the data under it");
    expect(tasks[3]?.dependencies[0]?.reason).toBe("it tests what TASK-023-001 makes");
  });

  it("gives each task all of its fields [S3-029, S3-030, S3-031, S3-032, S3-033, S3-034, S3-035]", () => {
    const [task] = of(
      work(
        "- Create the table `completions` in `db/migrations/004_completions.sql`",
        "  - with user_id and completed_at",
        "  - covered by tests/test_completions.py",
      ),
    ).tasks;
    expect(task).toEqual({
      id: "TASK-0023-001",
      adr: "ADR-0023",
      title: "Create the table `completions` in `db/migrations/004_completions.sql`",
      description:
        "Create the table `completions` in `db/migrations/004_completions.sql`\n- with user_id and completed_at\n- covered by tests/test_completions.py",
      type: "feature",
      agent: "FeatureBuilder",
      dependencies: [],
      status: "pending",
      priority: "P1",
      estimated_iterations: 7,
      completion_promise: "FEATURE_COMPLETE",
      files: ["db/migrations/004_completions.sql"],
      tests: ["tests/test_completions.py"],
    });
    expect(AdrTask.parse(task)).toEqual(task);
    expect(AdrTask.shape.status.options).toEqual(["pending", "in_progress", "completed", "blocked"]);
  });

  it.each([
    ["Fix the race in the queue", "bugfix", "BugFixer"],
    ["Write unit tests for the parser", "test", "TestWriter"],
    ["Refactor the loader", "quality", "CodeQuality"],
    ["Remove the old registry", "quality", "CodeQuality"],
    ["Document the new flow in the README", "docs", "Docs"],
    ["Update the documentation", "docs", "Docs"],
    ["Deploy the collector to the cluster", "infra", "Infra"],
    ["Backend: add an endpoint", "feature", "FeatureBuilder"],
    ["Use the latest test framework for the site", "feature", "FeatureBuilder"],
    ["Tests für den Parser schreiben", "test", "TestWriter"],
    ["Écrire les tests du module", "test", "TestWriter"],
    ["编写单元测试", "test", "TestWriter"],
    ["テストを追加する", "test", "TestWriter"],
    ["更新文档", "docs", "Docs"],
  ])("sends %j as %s to %s", (note, type, agent) => {
    expect(of(work(`- ${note}`)).tasks[0]).toMatchObject({ type, agent });
  });

  it("takes what a decision orders, and not why it does", () => {
    expect(titles(record("## Decision\n\nWe will:\n\n- add a queue\n- move the readers to it"))).toHaveLength(2);
    expect(titles(record("## Decision\n\n* We will use one queue.\n* We will enforce it in review."))).toHaveLength(2);
    expect(titles(record("## Decision\n\nOne queue because:\n\n- it is simple\n- we know it"))).not.toContain(
      "it is simple",
    );
    expect(titles(record("## Decision\n\nOne queue.\n\n- There is nothing against it\n- It was no work"))).toEqual([]);
    expect(titles(record("## Decision\n\nOne queue for:\n\n- Orders\n- Stock"))).not.toContain("Orders");
    const prose = "We will add a queue and move the readers.";
    expect(titles(record(`## Decision\n\n${prose}`))).toEqual([prose]);
    const outcome = '## Decision Outcome\n\nChosen option: "One queue", because\n\n';
    expect(titles(record(`${outcome}* it is one place to look\n* it is known to all of us`))).toHaveLength(1);
    const steps = "## Decision Outcome\n\nOne queue.\n\n* Add the queue\n* Remove the old one";
    expect(titles(record(steps))).toEqual(["Add the queue", "Remove the old one"]);
  });

  it("takes nothing from options, context and reasons", () => {
    const lists = ["Context", "Considered Options", "Rationale", "Pros and Cons of the Options", "Links"];
    const body = lists.map((heading) => `## ${heading}\n\n1. Add a queue\n2. Remove the table\n3. Write tests\n`);
    expect(titles(record(body.join("\n")))).toEqual([]);
    const option = "## Decision\n\nTwo were weighed.\n\n### Option 1: a queue\n\n- Build a queue\n- Write tests\n";
    expect(titles(record(option))).toEqual([]);
  });

  it("takes of the consequences what they order, and nothing else", () => {
    const consequences = (list: string, heading = "Consequences") => titles(record(`## ${heading}\n\n${list}`));
    expect(consequences("1. Change the reader\n2. The editor writes the file\n3. Move the old one")).toHaveLength(3);
    expect(consequences("- We need to move the old pages\n- Update the index")).toHaveLength(2);
    expect(consequences("- [x] Open the tickets\n- [ ] Install the agent\n- It costs less")).toEqual([
      "Install the agent",
    ]);
    expect(consequences("- We will need to support two formats\n- We must maintain the mapping")).toEqual([]);
    expect(consequences("- Reports become possible\n- There is one more table\n- Update the index")).toEqual([]);
    expect(consequences("- Update the index\n- Move the old pages", "Negative Consequences")).toEqual([]);
  });

  it("takes no definitions, names and examples for work", () => {
    const fields =
      "## Implementation\n\nIt has these fields:\n\n- `all` - Boolean. Whether to take all.\n- `names`: A list.";
    expect(titles(record(fields))).toEqual([]);
    expect(titles(record("## Implementation\n\n- `Reader`\n- `Writer`"))).toEqual([]);
    expect(titles(record("## Components to remove\n\n- `Reader`\n- `Writer`"))).toEqual([
      "Remove `Reader`",
      "Remove `Writer`",
    ]);
    const examples =
      "## Decision\n\nAll of it is data. Some examples are:\n\n- Routes of the server and its parts\n- Places of the files we serve";
    expect(titles(record(examples))).toEqual([]);
  });

  it("takes what a plan announces, and asks for nothing twice", () => {
    const plan =
      "## Plan\n\nThe following changes will be made:\n\n- Removal of the three old sinks\n- Alignment with the usual start";
    expect(titles(record(plan))).toHaveLength(2);
    const twice =
      "## Decision\n\n- We will add a queue\n- We will move the readers\n\n## Tasks\n\n- We will add a queue.\n  - with a table\n- Write tests";
    expect(titles(record(twice))).toEqual(["We will move the readers", "We will add a queue.", "Write tests"]);
  });

  it.each([
    ["French", "Mise en œuvre", "- Créer la table\n- Ajouter l'API"],
    ["German", "Umsetzung", "- Tabelle anlegen\n- Endpunkt ergänzen"],
    ["German, next", "Nächste Schritte", "- Tabelle anlegen\n- Endpunkt ergänzen"],
    ["Spanish", "Próximos pasos", "- Crear la tabla\n- Añadir la API"],
    ["Portuguese", "Plano de implementação", "- Criar a tabela\n- Adicionar a API"],
    ["Italian", "Prossimi passi", "- Creare la tabella\n- Aggiungere l'API"],
    ["Dutch", "Volgende stappen", "- Maak de tabel\n- Voeg de API toe"],
    ["Chinese", "实施步骤", "- 创建数据表\n- 添加接口"],
    ["Japanese", "実装計画", "- テーブルを作成する\n- エンドポイントを追加する"],
    ["English, in a bold line", "Decision\n\nYes.\n\n**Action items:**", "- [ ] Add it\n- [x] Agree\n- [ ] Ship it"],
  ])("finds the work under a heading in %s", (_, heading, list) => {
    expect(titles(record(`## ${heading}\n\n${list}`))).toHaveLength(2);
  });

  it("reads a table of tasks, stages with prose, and what a heading orders", () => {
    const table =
      "## Tasks\n\n| # | Task | Owner |\n|---|---|---|\n| 1 | Add a queue | Ada |\n| 2 | Drop the table | Bob |";
    expect(titles(record(table))).toEqual(["Add a queue", "Drop the table"]);
    const stages =
      "## Migration plan\n\n### Phase 1: Copy the data\n\nAll of it.\n\n### Phase 2: Switch readers\n\nOne by one.";
    expect(titles(record(stages))).toEqual(["Copy the data", "Switch readers"]);
    expect(waits(record(stages))).toEqual([[], [1]]);
    expect(titles(record("## Parts to remove\n\n- `OldQueue` (core)"))).toEqual(["Remove `OldQueue` (core)"]);
  });

  it("takes numbered steps for an order, also where each is numbered 1", () => {
    expect(waits(work("1. Clone it", "1. Build it", "1. Deploy it", "* Rebuild the rest"))).toEqual([
      [],
      [1],
      [2],
      [3],
    ]);
    expect(waits(work("- Clone it", "- Build it"))).toEqual([[], []]);
    const { tasks } = of(work("1. Clone it", "2. Build it"));
    expect(tasks[1]?.dependencies[0]?.reason).toBe("the record numbers them in this order");
  });

  it("orders by what the record says, by stages, and by the files one makes and another uses", () => {
    expect(waits(work("- Add the flag", "- Turn the flag on after step 3", "- Announce the flag"))[1]).toEqual([3]);
    const stages = "## Rollout\n\n### Phase 1\n\n- Copy it\n- Check it\n\n### Phase 2\n\n- Switch it";
    expect(waits(record(stages))).toEqual([[], [], [1, 2]]);
    const files = of(work("- Run `scripts/copy.mjs` each night", "- Create `scripts/copy.mjs`")).tasks;
    expect(files[0]?.dependencies).toEqual([
      { task: "TASK-0023-002", reason: "it works on scripts/copy.mjs, which TASK-0023-002 makes" },
    ]);
  });

  it("never closes a circle", () => {
    const circle = work(
      "1. Build the form after step 3",
      "2. Add the endpoint after step 1",
      "3. Create the table after 2",
    );
    const edges = of(circle).tasks.map(({ id, dependencies }) => [id, dependencies.map(({ task }) => task)] as const);
    const done = new Set<string>();
    for (let round = 0; round < edges.length; round++)
      for (const [id, needs] of edges) if (needs.every((need) => done.has(need))) done.add(id);
    expect(done.size).toBe(3);
  });

  it.each([
    ["Proposed", "is proposed", 2],
    ["Partly superseded by ADR-9", "is superseded in parts by 9", 2],
    ["Rejected", "was rejected", 0],
    ["Deprecated", "is deprecated", 0],
    ["Superseded by ADR-9", "is superseded by 9", 0],
    ["", "states no status", 2],
  ])("holds the work of a record that is %j and says why", (status, why, count) => {
    const { tasks, held } = of(record("## Implementation\n\n- Add a queue\n- Use it", status));
    expect(held).toContain(`ADR-0023 ${why}`);
    expect(tasks).toHaveLength(count);
  });

  it("gives what may be done later less weight", () => {
    const { tasks } = of(work("- Add it", "- We should log it", "- We may cache it later", "- (P0) Stop the leak"));
    expect(tasks.map(({ priority }) => priority)).toEqual(["P1", "P2", "P3", "P0"]);
    expect(of(record("## Future work\n\n- Add a limit")).tasks[0]?.priority).toBe("P3");
  });

  it("keeps titles to one line that fits, and what was cut in the description", () => {
    const long = `Add ${"a very long thing ".repeat(40)}`;
    const [task] = of(work(`- ${long}`)).tasks;
    expect(task?.title.length).toBeLessThanOrEqual(160);
    expect(task?.description).toBe(long.trim());
    expect(titles(work("- **Queue** ([spec](https://example.org/x)): add it;"))).toEqual(["Queue (spec): add it"]);
  });
});
