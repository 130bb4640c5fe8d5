import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { RoutingDecision } from "../../model/routing.js";
import { segment } from "../../foundation/text/segment.js";
import { shippedModel } from "../../testing/learned-models.js";
import { compilePolicy } from "./compile-policy.js";
import { explainRoute } from "./explain-route.js";
import { route } from "./route.js";

const result = compilePolicy(
  parse(readFileSync(new URL("../../../policy/routing.yaml", import.meta.url), "utf8")),
  shippedModel("routing"),
);
if (!result.ok) throw new Error("the shipped policy does not load");
const { policy } = result;
const REGISTRY = [
  "docs/principles.md",
  "docs/adr/0001-user-login.md",
  "src/a.ts",
  "specs/export.md",
  "standards/ts.md",
];
const decide = (body: string) => route(policy, { task_id: "t", input: { body }, context_registry: REGISTRY });

/** A small seeded generator: the same 1,000 texts on every machine. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  "the user should be able to ",
  "it doesn't work ",
  "`a_b()` ",
  "src/a.ts:12 ",
  "```\n",
  "~~~\n",
  "> ",
  ">> > ",
  "<!-- ",
  " -->",
  "\n\n",
  "\r\n",
  "\t",
  "مرحبا بالعالم ",
  "שלום ",
  "日本語のテキスト。",
  "Übergrößenträger ",
  "👩‍💻🏳️‍🌈 ",
  "\u202E\u2066",
  "\u0000\u0001\u007F",
  "\uD800",
  "\uDC00",
  "\uFEFF",
  "e\u0301\u0301\u0301 ",
  "# ",
  "- [ ] ",
  "1. ",
  "| a | b |\n",
  "http://x.y/z#L1 ",
  "https://",
  "at f (a.js:1:2)\n",
  'File "a", line 1\n',
  "Error: x\n",
  "--flag ",
  "((((",
  "))))",
  "[[[[",
  "${a}",
  "```diff\n@@ -1 +1 @@\n",
  "**Expected**: ",
  "Expected behavior\n",
  "?",
  "!!!",
  "...",
  "::",
  "->",
  "__proto__ ",
  "constructor ",
  "toString ",
  "\\",
  "'",
  '"',
  "’",
  "\u2028",
  "GET /api/x ",
  "A=B ",
];

function sample(random: () => number): string {
  const length = Math.floor(random() * 60);
  let text = "";
  for (let i = 0; i < length; i++) {
    const piece = PIECES[Math.floor(random() * PIECES.length)] ?? "";
    text += random() < 0.1 ? piece.repeat(1 + Math.floor(random() * 30)) : piece;
    if (random() < 0.15) text += String.fromCharCode(Math.floor(random() * 0x10000));
  }
  return text;
}

describe("1,000 fuzzed inputs", () => {
  it("are decided without a crash, by the contract, and with equal bytes [S0-003]", () => {
    const random = generator(20_26);
    for (let i = 0; i < 1_000; i++) {
      const body = sample(random);
      const decision = decide(body);
      if (!RoutingDecision.safeParse(decision).success) throw new Error(`not a decision for ${JSON.stringify(body)}`);
      if (JSON.stringify(decide(body)) !== JSON.stringify(decision))
        throw new Error(`unstable for ${JSON.stringify(body)}`);
      for (const { evidence } of decision.explanation.signals)
        for (const { start, end } of evidence)
          if (start < 0 || end > body.length || start >= end) throw new Error(`span ${start}–${end}`);
      if (
        segment(body)
          .map((s) => s.text)
          .join("") !== body
      )
        throw new Error(`segments for ${JSON.stringify(body)}`);
      explainRoute(policy, body, decision);
    }
  });
});

describe("hostile texts", () => {
  const LONG = 200_000;
  const runs = [
    "a",
    "A",
    "(",
    ")",
    "[",
    "{",
    "`",
    "/",
    "\\",
    ".",
    ":",
    "#",
    "-",
    "_",
    "*",
    ">",
    "<",
    "=",
    '"',
    "'",
    "’",
    "?",
    " ",
    "\n",
    "\t",
    "1",
    "é",
    "日",
    "\uD83D\uDE00",
    "\uD800",
    "\u0000",
  ];
  it.each(runs.map((run) => [JSON.stringify(run), run.repeat(LONG / run.length)]))("a run of %s ends", (_, body) => {
    expect(decide(body).status).toBe("routed");
  });

  const patterns = [
    "aA",
    "a_",
    "a.",
    "a/",
    "a(",
    "a()",
    "`a`",
    "` ",
    "``a` ",
    "```\n",
    "<!--",
    "-->",
    "<a",
    "<a>",
    "> > ",
    "http://",
    "http://a#L1 ",
    "at (",
    "at a:1\n",
    "a:1 ",
    "::a",
    "a->",
    "# a\n",
    "**a",
    "a: b\n",
    "- a\n",
    "1. ",
    "| ",
    "a? ",
    "a. A",
    "not ",
    "would be ",
    "should not be ",
    "please add ",
    "i would really like ",
    "--a ",
    "--a=",
    "a=b ",
    "A_B ",
    "1.1.1 ",
    "@@ -",
    "$ ",
    '"a": ',
    "a\\nb",
    "(((a",
    "\r",
    "\r\n\r\n",
  ];
  it.each(patterns.map((p) => [JSON.stringify(p), p.repeat(Math.ceil(LONG / p.length))]))(
    "%s over and over ends",
    (_, body) => {
      expect(decide(body).status).toBe("routed");
    },
  );

  it.each([
    ["prose", "Users should be able to see better reports. "],
    ["code", "```\nfoo(bar[1]) = baz;\n```\n"],
    ["names", "`a_b` calls src/net/frame.ts:12 with --flag=1 and GET /api/x. "],
    ["bytes", "\u0001\u0002\uFFFD\u007F"],
  ])("1 MB of %s ends", (_, piece) => {
    const body = piece.repeat(Math.ceil(1_048_576 / piece.length));
    expect(decide(body).status).toBe("routed");
  });
});
