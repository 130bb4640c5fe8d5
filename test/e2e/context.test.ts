import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";

/* What a child is given of a project's documents, and that it finds no trace of the others. */

beforeAll(ensureBuilt);

const ASK = "Rename the function greet in src/net.mjs to hello";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/net.mjs": 'export const greet = () => "hi";\n',
  "test/net.test.mjs":
    'import { test } from "node:test";\nimport * as net from "../src/net.mjs";\ntest("there", () => { if (Object.keys(net).length === 0) throw new Error("nothing"); });\n',
  "docs/style.md": "STYLE-TEXT: names are short.\n",
  "docs/pricing.md": "PRICING-TEXT: nobody is to know.\n",
  "governance/context.yaml":
    "- ref: docs/style.md\n  kind: standard\n- ref: docs/pricing.md\n  kind: principles\n- ref: src/net.mjs\n  kind: source\n",
  ".gitignore": ".coordinator/\n",
};

/** Everything a builder could look at: the files, each object of the repository, the history, what git still knows. */
const LOOK = [
  "cat governance/context.yaml",
  "cat docs/pricing.md",
  "git log --all --format=%H",
  "git show HEAD~1:governance/context.yaml",
  "git show HEAD:governance/context.yaml",
  "git cat-file --batch-all-objects --batch",
  "git reflog",
  "find . -name 'context.*' -o -name 'pricing*'",
].join("; ");

describe("a builder", () => {
  it("finds neither the registry nor a withheld document, in no file, object or history [S0-033, S0-036, S0-041, S0-042]", async () => {
    const run = `(${LOOK}) > src/seen.txt 2>&1; true`;
    const titles = [ASK, `Write tests: ${ASK}`, `Document: ${ASK}`];
    const desk = asked(
      FILES,
      titles.map((title, at) => ({
        title,
        steps:
          at === 0
            ? [{ run }, { write: "src/net.mjs", text: 'export const hello = () => "hi";\n' }, { say: "DONE" }]
            : [{ say: "DONE" }],
      })),
    );
    // An older version of the registry and of the document are in the history.
    desk.git("commit", "-q", "--allow-empty", "-m", "Later");
    desk.call("run", ASK, "--type", "technical", "--yes");
    const [id = ""] = (await desk.runs()).slice(-1);
    const [task = ""] = Object.keys(desk.orders(id));
    const seen = desk.git("show", `refs/coord/${id}/${task}/1:src/seen.txt`);
    expect(seen).toContain("STYLE-TEXT");
    expect(seen, "one commit and no other").toMatch(/^[0-9a-f]{40}$/m);
    for (const secret of ["PRICING-TEXT", "kind: principles", "ref: docs"]) expect(seen).not.toContain(secret);
    const order = desk.orders(id)[task];
    expect(order?.context.map(({ ref }) => ref)).toEqual(["docs/style.md", "src/net.mjs"]);
    const route = (await desk.log()).flatMap(({ event }) => (event.type === "route_decided" ? [event] : []))[0];
    expect(route).toMatchObject({
      rule_id: "operator_says_technical",
      decider: { by: "ada", how: "person", via: "command" },
      context: [
        {
          target: "dev",
          documents: [
            { ref: "docs/style.md", decision: "included", rule_id: "dev_standards" },
            { ref: "docs/pricing.md", decision: "excluded", rule_id: "no_context_rule" },
            { ref: "src/net.mjs", decision: "included", rule_id: "dev_source_of_change" },
          ],
        },
      ],
    });
    expect(desk.call("explain", "route", "--run", "last").stdout).toMatch(
      /pricing\.md is excluded for dev by no_context_rule/,
    );
    expect(order?.withheld).toEqual(expect.arrayContaining(["docs/pricing.md", "governance/context.yaml"]));
    expect(JSON.stringify([order?.prompt, order?.context])).not.toContain("pricing");
  });

  it("does not reach them by a stash, packed refs or the .git file of a worktree, in its repository or in yours [S0-033, S0-036, S0-041]", async () => {
    const desk = asked(FILES, [], {});
    // What is withheld lies in a stash, on a packed branch, in a note, and the command works in a linked worktree.
    writeFileSync(join(desk.cwd, "docs/pricing.md"), "PRICING-TEXT: in a stash.\n");
    desk.git("stash", "-q");
    desk.git("branch", "kept");
    desk.git("tag", "-a", "old", "-m", "PRICING-TEXT of a tag");
    desk.git("notes", "add", "-m", "PRICING-TEXT of a note");
    desk.git("pack-refs", "--all");
    desk.git("gc", "-q");
    desk.git("worktree", "add", "-q", "../linked", "-b", "linked");
    const linked = join(desk.cwd, "..", "linked");
    expect(readFileSync(join(linked, ".git"), "utf8")).toContain(join(desk.cwd, ".git"));
    const theirs = join(desk.cwd, ".git");
    const look = [
      "cat .git",
      "git stash list",
      "git stash show -p",
      "git show stash@{0}:docs/pricing.md",
      "git for-each-ref --format='%(refname) %(contents)'",
      "git show kept:docs/pricing.md linked:docs/pricing.md old",
      "git notes show",
      "git rev-list --objects --all",
      "cat .git/packed-refs",
      "git worktree list",
      "git config --list --show-origin",
      `ls ${theirs}`,
      `cat ${theirs}/packed-refs`,
      `git --git-dir=${theirs} show HEAD:docs/pricing.md`,
      `git --git-dir=${theirs}/worktrees/linked stash show -p`,
      `grep -r PRICING ${linked} ${desk.cwd}`,
      "git cat-file --batch-all-objects --batch",
      "grep -rl PRICING . /tmp /home /root 2>/dev/null",
    ];
    const run = look.map((one) => `(echo "== ${one.replaceAll('"', "")}"; ${one}) >> src/seen.txt 2>&1`).join("; ");
    const steps = [
      // Done behind everybody's back: no rule is asked.
      { run: `${run}; true`, ask: false, report: false },
      { write: "src/net.mjs", text: 'export const hello = () => "hi";\n' },
      { say: "DONE" },
    ];
    const tasks = [{ prompt_has: `Your task: ${ASK}\n`, steps }];
    writeFileSync(join(desk.env["HOME"] ?? "", "script.json"), JSON.stringify({ tasks, otherwise: [{ say: "DONE" }] }));
    const ran = desk.call("--cwd", linked, "run", ASK, "--type", "technical", "--yes");
    const [ref = ""] =
      desk.git("for-each-ref", "--format=%(refname)", "refs/coord").match(/^refs\/coord\/run_\S+\/1$/m) ?? [];
    expect(ref, ran.stdout + ran.stderr).not.toBe("");
    const seen = desk.git("show", `${ref}:src/seen.txt`);
    expect(seen, "it looked").toContain("== git cat-file --batch-all-objects");
    expect(seen, "it sees what it is given").toContain("STYLE-TEXT");
    for (const secret of ["PRICING-TEXT", "kind: principles", "refs/stash", "refs/notes", "refs/heads/kept"])
      expect(seen).not.toContain(secret);
  });

  it("is told nothing of them by the checks between its turns, whatever its tests print [S0-033, S0-036, S0-041]", async () => {
    const peeks =
      'import { test } from "node:test";\nimport { readFileSync } from "node:fs";\n' +
      'const read = (path) => { try { return readFileSync(path, "utf8"); } catch { return `${path} is absent`; } };\n' +
      'for (const path of ["docs/pricing.md", "governance/context.yaml", "data/customers.csv"])\n' +
      "  test(`peek ${read(path).slice(0, 60)}`, () => { throw new Error(read(path)); });\n";
    const turn = (prompt_has: string, heard: string) => ({
      prompt_has,
      iteration: 2,
      steps: [{ delete: "test/peek.test.mjs" }, { write: "src/heard.txt", text: heard }, { say: "DONE" }],
    });
    const desk = asked({ ...FILES, "data/customers.csv": "CUSTOMERS-TEXT\n" }, [], {
      settings: { data_paths: { confidential: ["data/**"] } },
    });
    const tasks = [
      ...["PRICING-TEXT", "kind: principles", "CUSTOMERS-TEXT"].map((text) => turn(text, `leaked: ${text}`)),
      turn("docs/pricing.md is absent", "only that it is absent"),
      {
        prompt_has: `Your task: ${ASK}\n`,
        steps: [
          { write: "test/peek.test.mjs", text: peeks },
          { write: "src/net.mjs", text: 'export const hello = () => "hi";\n' },
          { say: "DONE" },
        ],
      },
    ];
    writeFileSync(join(desk.env["HOME"] ?? "", "script.json"), JSON.stringify({ tasks, otherwise: [{ say: "DONE" }] }));
    const ran = desk.call("run", ASK, "--type", "technical", "--yes");
    const [id = ""] = (await desk.runs()).slice(-1);
    // People are told what failed on the whole repository; the agent is told what fails with the files it sees.
    const turns = (await desk.log()).flatMap(({ event }) => (event.type === "iteration_finished" ? [event] : []));
    expect(turns.map(({ next }) => next)).toEqual(["again", "done"]);
    expect(turns[0]?.failing.join(), ran.stdout).toContain("PRICING-TEXT");
    expect(desk.git("show", `refs/coord/${id}/head:src/heard.txt`)).toBe("only that it is absent");
  });

  it("is given the decision record that is carried out and those it speaks of, whatever the registry says [S0-039]", async () => {
    const record = (number: number, title: string, more = "") =>
      `# ADR-000${number}: ${title}\n\n## Status\n\nAccepted\n\n## Decision\n\nTEXT-OF-${number}\n${more}`;
    const tasks = "\n## Implementation notes\n\n- [ ] Add the queue in src/net.mjs\n\n## Related\n\n- ADR-0001\n";
    const desk = asked(
      {
        ...FILES,
        "docs/adr/0001-words.md": record(1, "Short words"),
        "docs/adr/0002-queue.md": record(2, "A queue", tasks),
        "docs/adr/0003-fonts.md": record(3, "Fonts"),
        "governance/context.yaml":
          "- ref: docs/adr/0001-words.md\n  kind: adr\n  domain: words\n- ref: docs/adr/0003-fonts.md\n  kind: adr\n  domain: website\n",
      },
      [],
    );
    const ran = desk.call("run", "--adr", "docs/adr/0002-queue.md", "--yes");
    const [id = ""] = (await desk.runs()).slice(-1);
    const [order] = Object.values(desk.orders(id));
    expect(
      order?.context.map(({ ref }) => ref),
      ran.stdout,
    ).toEqual(["docs/adr/0002-queue.md", "docs/adr/0001-words.md"]);
    expect(order?.context[0]?.text).toContain("TEXT-OF-2");
    expect(order?.withheld).toContain("docs/adr/0003-fonts.md");
    expect(order?.withheld).not.toContain("docs/adr/0001-words.md");
    const route = (await desk.log()).flatMap(({ event }) => (event.type === "route_decided" ? [event] : []))[0];
    expect(route?.context?.[0]?.documents).toMatchObject([
      { ref: "docs/adr/0002-queue.md", decision: "included", rule_id: "decision_record" },
      { ref: "docs/adr/0001-words.md", decision: "included", rule_id: "decision_record_related" },
      { ref: "docs/adr/0003-fonts.md", decision: "excluded" },
    ]);
  });
});

describe("a builder that is not given enough", () => {
  const WORD = "Which words are allowed?";
  const titles = [ASK, `Write tests: ${ASK}`, `Document: ${ASK}`];
  const asks = titles.map((title) => ({ title, attempt: 1, steps: [{ ask: WORD }] }));
  const all = (log: readonly { event: { type: string } }[], type: string) =>
    log.flatMap(({ event }) => (event.type === type ? [event] : []));

  it("ends; routing is evaluated again, finds nothing more, and only then a person is asked [S0-043, S0-044, S0-063]", async () => {
    const desk = asked(FILES, asks);
    expect(desk.call("run", ASK, "--type", "technical", "--yes").code).toBe(3);
    const log = await desk.log();
    const types = log.map(({ event }) => event.type).filter((type) => /route_re|attempt_f|question_a/.test(type));
    expect(types).toEqual(["route_reevaluated", "attempt_finished", "question_asked"]);
    const [again] = all(log, "route_reevaluated");
    expect(again).toMatchObject({ attempt: 1, outcome: "escalated", documents: [] });
    expect(JSON.stringify(again), "what the child said is not an argument").not.toContain(WORD);
    // The answer never reaches the child that asked: it is over, and another instance is told.
    const [entry] = (desk.json("inbox") as { entries: { id: string }[] }).entries;
    expect(desk.call("answer", entry?.id ?? "", "short ones").code).toBe(0);
    desk.call("run", "--last");
    const after = (await desk.log()).map(({ event }) => event);
    const answered = after.findIndex(({ type }) => type === "question_answered");
    const finished = after.findIndex(({ type }) => type === "attempt_finished");
    expect(finished).toBeLessThan(answered);
    expect(after.slice(answered).find(({ type }) => type === "attempt_started")).toMatchObject({ attempt: 2 });
  });

  it("is followed by another that gets what the registry has now, and nobody is asked [S0-044]", async () => {
    const desk = asked(FILES, asks);
    const planned = desk.call("run", ASK, "--type", "technical");
    const [, approval = ""] = /Next: coordinator approve (\S+)/.exec(planned.stdout) ?? [];
    expect(desk.call("approve", approval).code).toBe(0);
    // Somebody corrects the registry before the work begins.
    writeFileSync(join(desk.cwd, "docs/words.md"), "WORDS-TEXT: only short ones.\n");
    const registry = join(desk.cwd, "governance/context.yaml");
    writeFileSync(registry, `${readFileSync(registry, "utf8")}- ref: docs/words.md\n  kind: standard\n`);
    desk.call("run", "--last");
    const log = await desk.log();
    const [again] = all(log, "route_reevaluated");
    expect(again).toMatchObject({ attempt: 1, outcome: "dispatched", documents: [{ ref: "docs/words.md" }] });
    const firstQuestion = log.findIndex(({ event }) => event.type === "question_asked");
    const second = log.findIndex(({ event }) => event.type === "attempt_started" && event.attempt === 2);
    expect(second, "tried again before anybody was asked").toBeGreaterThan(0);
    expect(firstQuestion === -1 || firstQuestion > second).toBe(true);
    const [id = ""] = (await desk.runs()).slice(-1);
    const order = Object.values(desk.orders(id)).find(({ name }) => name.attemptId === "2");
    expect(order?.context.map(({ ref }) => ref)).toContain("docs/words.md");
    expect(order?.context.map(({ text }) => text).join("")).toContain("WORDS-TEXT");
    expect(desk.call("verify", id).code).toBe(0);
  });
});
