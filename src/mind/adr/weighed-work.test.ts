import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { breakDown } from "./break-down.js";
import { parseAdr } from "./parse-adr.js";

/* Which sentences ask for work. The records are the project's own; what is learnt is measured by `npm run eval`. */

const MODEL = await readLearnedModel("adr");
const read = (text: string, title = "Sign releases") =>
  breakDown(parseAdr(`# 7. ${title}\n\n## Status\n\nAccepted\n\n${text}\n`, "docs/adr/0007-x.md"), MODEL);
const titles = (text: string, title?: string) => read(text, title).tasks.map((task) => task.title);

describe("a record that decides in prose", () => {
  it.each([
    ["English", "## Decision", "We will sign every release with a key of the team."],
    ["English, short", "## Decision", "Use one queue for all readers instead of three."],
    ["German", "## Entscheidung", "Wir werden jede Version mit dem Schlüssel des Teams signieren."],
    ["French", "## Décision", "Nous allons remplacer la base par PostgreSQL."],
    ["Spanish", "## Decisión", "Usaremos una sola cola para todos los lectores."],
    ["Portuguese", "## Decisão", "Vamos usar uma única fila para todos os leitores."],
    ["Italian", "## Decisione", "Useremo una sola coda per tutti i lettori."],
    ["Dutch", "## Besluit", "We gaan één wachtrij gebruiken voor alle lezers."],
    ["Chinese", "## 决策", "我们将采用 PostgreSQL 作为主数据库。"],
    ["Japanese", "## 決定", "メッセージキューを導入する。"],
  ])("asks for it: %s", (_, heading, sentence) => {
    const { tasks, why } = read(`${heading}\n\n${sentence}`);
    expect(tasks.map(({ title }) => title)).toEqual([sentence]);
    expect(why).toEqual([{ by: "wording", chance: expect.any(Number), words: expect.any(Array) }]);
  });

  it("says which words speak for it, and they stand in the sentence", () => {
    const sentence = "We will add a second reader to the queue.";
    const [why] = read(`## Decision\n\n${sentence}`).why;
    expect(why?.by).toBe("wording");
    if (why?.by !== "wording") return;
    expect(why.words.length).toBeGreaterThan(0);
    for (const part of why.words) expect(sentence).toContain(part);
  });
});

describe("a record that asks for no work", () => {
  it.each([
    ["process", "We will use Architecture Decision Records.", "Record architecture decisions"],
    ["process, in Spanish", "Escribiremos un ADR para cada decisión.", "Registrar decisiones de arquitectura con ADRs"],
    [
      "a principle",
      "Open source software is selected as a first choice, unless there is a reason.",
      "Prefer open source",
    ],
    ["what is refused", "We will not add a second queue.", "One queue"],
    ["what is kept", "We will continue to build on one queue.", "One queue"],
    ["what was done", "The old queue was removed last year.", "One queue"],
    ["what is refused, in German", "Die zweite Warteschlange wird nicht gebaut.", "Eine Warteschlange"],
  ])("gives none: %s", (_, decision, title) => {
    expect(titles(`## Decision\n\n${decision}`, title)).toEqual([]);
  });

  it.each(["One queue is enough.", "We like the idea of one queue.", "The queue is our source of truth."])(
    "gives none for a sentence that is all it has and says little, and tells of it: %s",
    (sentence) => {
      const alone = read(`## Decision\n\n${sentence}`);
      expect(alone.tasks).toEqual([]);
      expect(alone.unclear.map(({ text }) => text)).toEqual([sentence]);
      // Beside work it may be meant as work, too.
      expect(titles(`## Decision\n\n${sentence} We will add a second reader to the queue.`)).toContain(sentence);
    },
  );

  it("gives what it still has to do: an open box of a record about records", () => {
    const body =
      "## Decision\n\nWe use ADRs.\n\n## Action items\n\n- [x] Add a template\n- [ ] Look at it again in May";
    expect(titles(body, "Record architecture decisions")).toEqual(["Look at it again in May"]);
  });
});

describe("lists and sentences", () => {
  it("takes the entries and not the sentence that announces them", () => {
    const body =
      "## Decision\n\nWe will build it in steps:\n\n1. Create the table\n2. Move the readers\n3. Drop the old one";
    expect(titles(body)).toEqual(["Create the table", "Move the readers", "Drop the old one"]);
  });

  it("tells what it could not turn into tasks, with its line", () => {
    const { tasks, unclear } = read("## Consequences\n\nThe cost is higher.");
    expect(tasks).toEqual([]);
    for (const { line, chance } of unclear) {
      expect(line).toBeGreaterThan(0);
      expect(chance).toBeLessThan(100);
    }
  });

  it("reads a section that stands in one line with its name", () => {
    expect(titles("**Decision:** We will use one queue for all readers.")).toEqual([
      "We will use one queue for all readers.",
    ]);
  });
});

describe("whatever is written", () => {
  const SCRIPTS = [
    "We will add the queue. ",
    "Wir müssen die Tabelle anlegen. ",
    "Нужно добавить очередь. ",
    "需要添加队列。",
    "キューを追加する。",
    "대기열을 추가한다. ",
    "يجب إضافة قائمة انتظار. ",
    "צריך להוסיף תור. ",
    "हमें कतार जोड़नी होगी। ",
    "ต้องเพิ่มคิว ",
    "Πρέπει να προστεθεί ουρά. ",
  ];
  const piece = fc.oneof(
    fc.constantFrom(...SCRIPTS),
    fc.constantFrom(
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "## Decision\n\n",
      "## Consequences\n\n",
      "## Tasks\n\n",
      "| Task |\n|---|\n| x |\n",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );

  it("answers in ten scripts, the same each time, with tasks that quote the record and lines inside of it", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const { tasks, why, unclear } = breakDown(parseAdr(text, "0007-x.md"), MODEL);
        expect(breakDown(parseAdr(text, "0007-x.md"), MODEL)).toEqual({
          ...breakDown(parseAdr(text, "0007-x.md"), MODEL),
          tasks,
        });
        expect(why).toHaveLength(tasks.length);
        const lines = text.split(/\r\n|\r|\n/).length;
        for (const { line } of unclear) expect(line >= 1 && line <= lines).toBe(true);
        const words = wordsOf(text);
        for (const { description } of tasks)
          for (const word of wordsOf(description.replace(/…$/, "").split("\n")[0] ?? "")) expect(words).toContain(word);
      }),
      { numRuns: 300 },
    );
  });
});

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
