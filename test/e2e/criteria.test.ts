import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked, type Asked, TESTS } from "./asked.js";

/* What the type of a project asks of a run binds its end, from the words to the response. */

beforeAll(ensureBuilt);

const FILES = {
  "package.json": '{"type":"module","dependencies":{"react":"19"},"scripts":{"test":"node --test"}}\n',
  "src/pages/home.jsx": "export const Home = () => null;\n",
  "test/index.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};
const WORDS = "Fix the label of the button on the home page of the frontend in src/pages/home.jsx";

function desk(checks: readonly object[]): Asked {
  const steps = [
    { write: "src/pages/home.jsx", text: 'export const Home = () => "Save";\n' },
    { say: "Evidence for accessibility: the button has a name that a screen reader says\nBUGFIX_COMPLETE" },
  ];
  const here = asked(FILES, [{ title: WORDS, steps }], { settings: { checks } });
  writeFileSync(join(here.cwd, "..", "request.json"), JSON.stringify(REQUEST));
  return here;
}

/** The type is declared: one that is only guessed from words binds nobody. */
const REQUEST = {
  request_id: "11111111-2222-4333-8444-555555555555",
  timestamp: "2026-02-03T04:05:06Z",
  user_request: WORDS,
  context: { project_type: "frontend" },
};

const deliverablesOf = async (here: Asked) =>
  (await here.log()).flatMap(({ event }) =>
    event.type === "gate_decided" && event.gate.phase === "execution" ? (event.gate.criteria[0]?.evidence ?? []) : [],
  );

describe("a request in a project whose type has gates of its own", () => {
  it("ends well only when a person has answered for what no check shows, and the log says who and why [S1-132]", async () => {
    const here = desk([TESTS]);
    const ran = here.call("run", "--request", "../request.json", "--yes");
    expect([ran.code, ran.stderr]).toEqual([3, ""]);
    const asked = here.call("inbox").stdout.replaceAll(/\s+/g, " ");
    expect(asked).toContain("has to show accessibility, and no check shows it");
    expect(asked).toContain('says: "the button has a name that a screen reader says"');
    const [run = ""] = await here.runs();
    expect(Object.values(here.orders(run))[0]?.prompt).toContain("begins with `Evidence for accessibility:`");
    for (const command of ["inbox", "status", "response"])
      expect([command, here.call(command, ...(command === "inbox" ? [] : ["last"])).stdout]).toEqual([
        command,
        expect.stringContaining("accessibility"),
      ]);
    // A yes says nothing of what was seen, and nobody goes on without an answer.
    expect(here.call("answer", "criterion:accessibility", "yes").code).toBe(4);
    expect(here.call("run", "--last", "--yes").code).toBe(3);
    const early = here.call("merge", "last");
    expect([early.code, early.stdout.replaceAll(/\s+/g, " ")]).toEqual([
      4,
      expect.stringContaining("has not shown what its type of project asks for: accessibility"),
    ]);
    const answered = here.call("answer", "criterion:accessibility", "waived: only a text was changed", "--by", "grace");
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    expect(here.call("run", "--last").code).toBe(0);
    expect((await here.log()).map(({ event }) => event)).toContainEqual(
      expect.objectContaining({
        type: "question_answered",
        question_id: "criterion:accessibility",
        answer: "waived: only a text was changed",
        decider: expect.objectContaining({ by: "grace", how: "person" }) as unknown,
      }),
    );
    expect(await deliverablesOf(here)).toContain("accessibility, waived by grace: only a text was changed: complete");
  });

  it("asks nobody where a check of the project shows it [S1-132]", async () => {
    const here = desk([TESTS, { name: "a11y", kind: "other", run: "node --check test/index.test.mjs" }]);
    const ran = here.call("run", "--request", "../request.json", "--yes");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(await deliverablesOf(here)).toContain("accessibility, shown by the check a11y: complete");
  });
});
