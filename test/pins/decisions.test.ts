import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readHarmModel } from "../../src/app/learned/harm-model.js";
import { breakDown } from "../../src/mind/adr/break-down.js";
import { parseAdr } from "../../src/mind/adr/parse-adr.js";
import { intake } from "../../src/mind/intake/intake.js";
import { compilePolicy } from "../../src/mind/route/compile-policy.js";
import { route } from "../../src/mind/route/route.js";
import { IntakePolicy } from "../../src/model/intake-policy.js";
import { shippedModel } from "../../src/testing/learned-models.js";

/*
 * Decisions about the project's own texts, to the byte: the same on every version of Node.js and every machine. A change of
 * policies, weights or texts changes them; one that is meant is taken over by `npx vitest run test/pins -u`.
 */

const folder = new URL("../eval-fixtures/", import.meta.url);
const texts = readdirSync(folder)
  .filter((file) => file.endsWith(".jsonl"))
  .toSorted()
  .flatMap((file) =>
    readFileSync(new URL(file, folder), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { text?: string; user_request?: string; input?: string }).text ?? line),
  )
  .filter((_, at) => at % 3 === 0);

const hashOf = (decisions: readonly unknown[]) => createHash("sha256").update(JSON.stringify(decisions)).digest("hex");

it("intake gives the same bytes", async () => {
  const harm = await readHarmModel();
  const policy = IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8")));
  const decisions = texts.map((user_request) =>
    intake(
      policy,
      { request_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: "2025-10-28T10:30:00Z", user_request },
      undefined,
      { harm },
    ),
  );
  expect(decisions.length).toBeGreaterThan(1_000);
  expect(hashOf(decisions)).toMatchSnapshot();
});

it("routing gives the same bytes", () => {
  const compiled = compilePolicy(parse(readFileSync("policy/routing.yaml", "utf8")), shippedModel("routing"));
  if (!compiled.ok) throw new Error("the shipped policy does not load");
  const { policy } = compiled;
  const decisions = texts.map((body) => route(policy, { task_id: "t", input: { body }, context_registry: [] }));
  expect(hashOf(decisions)).toMatchSnapshot();
});

/** Ten of the texts as the entries of one record, under a heading that lists no work: what is a task is weighed. */
it("reading decision records gives the same bytes", () => {
  const model = shippedModel("adr");
  const records = Array.from({ length: 60 }, (_, at) => {
    const entries = texts.slice(at * 10, at * 10 + 10).map((text) => `- ${text.replaceAll(/\s+/g, " ")}`);
    return `# ${at + 1}. A record\n\n## Status\n\nAccepted\n\n## Decision\n\n${entries.join("\n")}\n`;
  });
  const read = records.map((text, at) => breakDown(parseAdr(text, `${at + 1}-x.md`), model));
  expect(read.filter(({ tasks }) => tasks.length > 0).length).toBeGreaterThan(10);
  expect(hashOf(read)).toMatchSnapshot();
});
