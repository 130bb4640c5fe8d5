import { describe, expect, it } from "vitest";
import type { Judgement, ToolUse } from "../../model/scope.js";
import { type JudgedUse, listOpenRefusals, weighRefusals } from "./refusals.js";

const NOTHING_MORE = { changed: [] as string[], checks: ["npm test"], said: "Done." };
const allow: Judgement = { decision: "allow", rule_id: "scope", reason: "fine" };
const ask: Judgement = {
  decision: "ask",
  rule_id: "scope_write",
  reason: "The path is not among those the attempt may write.",
  addition: { write: ["x"], commands: [], network: [] },
};

const use = (more: Partial<ToolUse>): ToolUse => ({
  tool_call_id: "c",
  stage: "request",
  kind: "edit",
  title: "T",
  paths: [],
  command: null,
  hosts: [],
  ...more,
});
const edit = (path: string): Partial<ToolUse> => ({ kind: "edit", paths: [{ path, access: "write" }] });
const run = (command: string): Partial<ToolUse> => ({ kind: "execute", command });
const refused = (more: Partial<ToolUse>): JudgedUse => ({ use: use(more), judgement: ask });
const done = (more: Partial<ToolUse>): JudgedUse => ({ use: use({ ...more, stage: "deed" }), judgement: allow });
const weigh = (uses: readonly JudgedUse[], more: Partial<typeof NOTHING_MORE> = {}) =>
  weighRefusals(uses, { ...NOTHING_MORE, ...more });
const open = (uses: readonly JudgedUse[], more: Partial<typeof NOTHING_MORE> = {}) =>
  listOpenRefusals(weigh(uses, more)).map(({ what }) => what);

describe("an edit that was refused", () => {
  it("is open, with what would allow it, however often it was asked for", () => {
    const found = weigh([refused(edit("src/x.py")), done(edit("src/y.py")), refused(edit("src/x.py"))]);
    expect(found).toEqual([
      {
        kind: "edit",
        what: "edit src/x.py",
        paths: ["src/x.py"],
        command: null,
        rule_id: "scope_write",
        reason: ask.reason,
        addition: ask.addition,
      },
    ]);
  });

  it("is settled when the same file was changed later within the scope, and not before", () => {
    expect(open([refused(edit("src/x.py")), done(edit("src/x.py"))])).toEqual([]);
    expect(open([refused(edit("./src/x.py"))], { changed: ["src/x.py"] })).toEqual([]);
    expect(open([done(edit("src/x.py")), refused(edit("src/x.py"))])).toEqual(["edit src/x.py"]);
  });

  it("of several files is settled only when all of them were changed", () => {
    const both = { kind: "edit" as const, paths: [...(edit("a").paths ?? []), ...(edit("b").paths ?? [])] };
    expect(open([refused(both), done(edit("a"))])).toEqual(["edit a, b"]);
    expect(open([refused(both), done(edit("a")), done(edit("b"))])).toEqual([]);
  });
});

describe("a command that was refused", () => {
  it.each([
    ["npm publish", []],
    ["npm install left-pad", ["npm test"]],
    ["python scripts/generate.py", ["pytest"]],
    ["docker build .", ["ls"]],
    ["rm -rf dist README.md", []],
    ["sed -i s/a/b/ README.md", ["npm test"]],
    ["curl -d x https://api.example.com", []],
    ["npx mocha test/x.js", []],
    ["node -e 'process.exit(0)'", ["cat x"]],
  ])("is open: %s", (command, later) => {
    expect(open([refused(run(command)), ...later.map((line) => done(run(line)))])).toEqual([`run ${command}`]);
  });

  it.each([
    ["npx mocha test/x.js", ["npm test"], "checks of the project were run"],
    ["python3 -m pytest -k x", ["python -m pytest tests/x.py"], "the same was run in another form"],
    ["pnpm run lint", ["pnpm lint"], "the same was run in another form"],
    ["ls /etc", [], "it would only have looked"],
    ["curl https://docs.example.com/page", [], "it would only have looked"],
    ["node --version", [], "it would only have looked"],
    ["git stash", [], "results are taken from the files, and not from commits"],
    ["git add -A && git commit -m x", [], "results are taken from the files, and not from commits"],
    ["rm -rf node_modules dist", [], "it would only have cleaned up after tools"],
    ["cargo clippy", ["make check"], "checks of the project were run"],
  ])("is settled: %s", (command, later, why) => {
    const [found] = weigh([refused(run(command)), ...later.map((line) => done(run(line)))]);
    expect(found?.settled).toBe(why);
  });

  it("that writes files is settled when they were changed another way", () => {
    expect(open([refused(run("sed -i s/a/b/ README.md"))], { changed: ["README.md"] })).toEqual([]);
    expect(open([refused(run("cat > src/x.py <<'E'\nx\nE"))], { changed: ["src/x.py"] })).toEqual([]);
  });

  it("counts a check of the project that ran before it, and none that was itself refused", () => {
    expect(open([done(run("npm test")), refused(run("npx ava"))])).toEqual([]);
    expect(open([refused(run("npm test")), refused(run("npx ava"))])).toEqual(["run npm test", "run npx ava"]);
  });
});

it("looking is open when the agent says that it is not done", () => {
  const said = "I could not finish this task: the page is out of reach.";
  const fetch = { kind: "fetch" as const, hosts: ["docs.example.com"] };
  expect(open([refused(fetch), refused(run("ls /etc"))])).toEqual([]);
  expect(open([refused(fetch), refused(run("ls /etc"))], { said })).toEqual(["fetch docs.example.com", "run ls /etc"]);
});
