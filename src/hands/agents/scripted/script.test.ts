import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readArguments } from "./arguments.js";
import { findScript, Step } from "./script.js";

const block = (text: string) => `Do it.\n\n\`\`\`script\n${text}\n\`\`\`\nThanks.`;
const guide = readFileSync(new URL("../../../../docs/guides/scripted-agent.md", import.meta.url), "utf8");

describe("the guide to the scripted agent", () => {
  it("shows scripts that work", () => {
    const [prompt = ""] = /Add a greeting\.[\s\S]*?```script[\s\S]*?```/.exec(guide) ?? [];
    expect(findScript(`${prompt}\n`, null)).toMatchObject({
      ok: true,
      steps: [{ write: "src/hello.txt" }, { say: "Done." }],
    });
    const [, text = ""] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    const file = { name: "script.json", text };
    expect(findScript("Write tests", file)).toMatchObject({ ok: true, steps: [{ run: "npm test" }, {}] });
    expect(findScript("anything", file)).toMatchObject({ ok: true, steps: [{ ask: "What should be done?" }] });
  });

  it("names every step there is, in a form that is taken", () => {
    const table = guide.slice(guide.indexOf("| step"), guide.indexOf("## Behaving"));
    const shown = [...table.matchAll(/`(\{.*?\})`(?= ·| +\|)/g)].map(([, step = ""]) => JSON.parse(step) as object);
    for (const step of shown) expect(Step.safeParse(step).success, JSON.stringify(step)).toBe(true);
    const names = Step.options.map((form) => Object.keys(form.shape)[0]);
    expect(names.filter((name) => !shown.some((step) => Object.keys(step)[0] === name))).toEqual([]);
  });
});

it("is another one in another attempt", () => {
  const [bad, good] = [[{ exit: 3 }], [{ say: "done" }]];
  const tasks = [
    { prompt_has: "Do", attempt: 1, steps: bad },
    { prompt_has: "Do", steps: good },
  ];
  const file = { name: "script.json", text: JSON.stringify({ tasks }) };
  expect(findScript("Do it.", file)).toEqual({ ok: true, steps: bad });
  expect(findScript("Do it.", file, { attempt: 2, iteration: 1 })).toEqual({ ok: true, steps: good });
});

describe("a script that is wrong", () => {
  it.each([
    ["none at all", "Do it.", /there is no script/],
    ["not JSON", block("[{]"), /is not JSON/],
    ["no list", block('{"steps": []}'), /neither a list of steps/],
    ["an unknown step", block('[{"say": "x"}, {"dance": 1}]'), /step 2 is none that is known/],
    ["a step without its text", block('[{"write": "a.txt"}]'), /step 1 \(write\): text /],
    ["a step with a field too many", block('[{"say": "x", "loud": true}]'), /step 1 \(say\): .*loud/],
    ["a step in a task", block('{"tasks": [{"prompt_has": "Do", "steps": [{"sleep": -1}]}]}'), /step 1 \(sleep\)/],
    [
      "a prompt nobody thought of",
      block('{"tasks": [{"prompt_has": "other words", "steps": [{"say": "x"}]}]}'),
      /no task for this prompt/,
    ],
  ])("says so: %s", (_, prompt, message) => {
    expect(findScript(prompt, null)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });
});

describe("its command line", () => {
  it.each([
    [["--profile", "nobody"], /no profile nobody/],
    [["--fault", "all"], /not understood/],
    [["--script"], /needs a value/],
  ])("%j is refused", (argv, message) => {
    expect(readArguments(argv, {})).toMatch(message);
  });
});
