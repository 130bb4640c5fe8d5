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
});
