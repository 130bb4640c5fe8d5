import { describe, expect, it } from "vitest";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { breakDown } from "./break-down.js";
import { parseAdr } from "./parse-adr.js";

const MODEL = await readLearnedModel("adr");

const tasksOf = (body: string) =>
  breakDown(parseAdr(`# 7. Keep sessions short\n\nStatus: Accepted\n\n${body}\n`, "0007-x.md"), MODEL).tasks;
const titles = (body: string) => tasksOf(body).map(({ title }) => title);
const following = (prose: string) => titles(`## Decision\n\nYes.\n\n## Consequences\n\n${prose}`);

describe("work that is said in sentences", () => {
  it.each([
    "We will need to provision a store in every environment.",
    "We must replace the store in `lib/session.ts`.",
    "This means we have to update the guide.",
    "The runbook has to be updated with how to flush sessions.",
    "Existing sessions will need to be migrated.",
    "Il faudra migrer les sessions existantes.",
    "Wir müssen die alten Sitzungen übertragen.",
    "Habrá que migrar las sesiones.",
    "Precisamos migrar as sessões.",
  ])("is found: %s", (sentence) => {
    expect(following(`Sessions end sooner. ${sentence} That is all.`)).toEqual([sentence]);
  });

  it.each([
    "We will need to learn how it works.",
    "Consumers have to be idempotent.",
    "We must accept that people log in again.",
    "If the store fails, sessions have to be recreated.",
    "New services must be added to the list.",
    "Whenever a key leaks, it must be replaced.",
    "No table needs to be changed.",
    "We will use records, as described elsewhere.",
    "Do we need to update the guide?",
    "Wenn der Speicher ausfällt, müssen Sitzungen neu angelegt werden.",
  ])("is not made of what asks for nothing: %s", (sentence) => {
    expect(following(sentence)).toEqual([]);
  });

  it("is not looked for where a record lists its work, nor in context and options", () => {
    const must = "We need to remove the old store.";
    expect(titles(`## Tasks\n\n- Add the store\n\n## Consequences\n\n${must}`)).toEqual(["Add the store"]);
    expect(titles(`## Context\n\n${must}`)).toEqual([]);
    expect(titles(`## Considered Options\n\n### One\n\n${must}`)).toEqual([]);
  });
});

describe("work inside of other lists", () => {
  it("stands under an entry that only names it", () => {
    const body = `## Consequences

- **Benefits:** fewer stolen sessions
- **Follow-ups:**
  - Define how long a session lives in the runbook
  - Automate the clean-up
    - every week
- **Risks:** people log in again`;
    expect(tasksOf(body).map(({ title, description }) => [title, description])).toEqual([
      ["Define how long a session lives in the runbook", "Define how long a session lives in the runbook"],
      ["Automate the clean-up", "Automate the clean-up\n- every week"],
    ]);
    expect(parseAdr(`# 7. X\n\n${body}`, "0007-x.md").consequences.map(({ text }) => text)).toEqual([
      "**Benefits:** fewer stolen sessions",
      "**Risks:** people log in again",
    ]);
  });

  it("is not what is declared to be out of scope, nor how something flows", () => {
    expect(titles("## Tasks\n\n- Add the store\n\n### Not in scope\n\n- Changing the schema")).toEqual([
      "Add the store",
    ]);
    expect(
      titles("## Decisión\n\nEl flujo adoptado es:\n\n1. El servidor valida el token.\n2. Se crea la sesión."),
    ).toEqual([]);
  });
});

describe("the kind of work", () => {
  it.each([
    ["E2E-Tests stellen wieder auf deutsche Texte ab", "test"],
    ["Simulate refused cards in the test environment", "test"],
    ["Rollback strategy documented", "docs"],
    ["Add runbooks for lag and replay", "docs"],
    ["The runbook has to be updated", "docs"],
    ["Write down how refunds are done by hand", "docs"],
    ["Tell the teams how to pin a version", "docs"],
    ["Richtlinie für alte Schalter dokumentieren", "docs"],
    ["We will retire the old endpoints", "quality"],
    ["Add a lint rule that forbids `console`", "quality"],
    ["Schedule it every night with a CronJob", "infra"],
    ["Enable Renovate with the shared preset", "infra"],
    ["Notify users by e-mail about expired sessions", "feature"],
    ["We will fix the broken login", "bugfix"],
  ])("of %j is %s", (title, type) => {
    expect(tasksOf(`## Tasks\n\n- ${title}`).map((task) => task.type)).toEqual([type]);
  });
});
