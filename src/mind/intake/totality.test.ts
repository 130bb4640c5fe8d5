import { readFileSync } from "node:fs";
import { anything, array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { IntakePolicy } from "../../model/intake-policy.js";
import { IntakeDecision } from "../../model/request.js";
import { explainIntake } from "./explain.js";
import { intake } from "./intake.js";
import { toResponse } from "./respond.js";

const policy = deepFreeze(IntakePolicy.parse(parse(readFileSync("policy/intake.yaml", "utf8"))));
const ids = { response_id: "660f9511-f30c-42e5-b827-557766551111", timestamp: "2025-10-28T10:35:00Z" };

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

function ask(user_request: string, attachment = "") {
  return {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2025-10-28T10:30:00Z",
    user_request,
    attachments: attachment === "" ? [] : [{ type: "file", content: attachment, description: "" }],
  };
}

const scraps = constantFrom(
  "> ",
  "```",
  "~~~\n",
  "`",
  '"',
  "<!--",
  "-->",
  "\n",
  "\r\n",
  "\u202e",
  "\u200b",
  "👩‍👩‍👧",
  "שלום ",
  "مرحبا ",
  "请修复登录。",
  "\ud800",
  "\u0000",
  "steal ",
  "the passwords ",
  "without .. knowing ",
  "so that nobody ",
  "fix ",
  "src/a.ts ",
  "https://x.y/z?q=1 ",
  "- ",
  "either ",
  "or ",
  "!!!???...",
  "é".normalize("NFD"),
);
const text = oneof(
  string({ unit: "binary", maxLength: 400 }),
  string({ unit: "grapheme", maxLength: 200 }),
  array(scraps, { maxLength: 80 }).map((parts) => parts.join("")),
);

describe("intake is total", () => {
  it("decides 1,000 fuzzed texts, twice alike, in the published shape [S1-119]", () => {
    assert(
      property(text, text, (one, other) => {
        const request = deepFreeze(ask(one, other));
        const decision = intake(policy, request);
        expect(JSON.stringify(intake(policy, structuredClone(request)))).toBe(JSON.stringify(decision));
        expect(IntakeDecision.safeParse(decision).success).toBe(true);
        for (const { evidence } of decision.steps)
          for (const { start, end } of evidence) expect(start).toBeLessThanOrEqual(end);
        expect(typeof explainIntake(decision)).toBe("string");
        toResponse(decision, ids);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("decides anything else as malformed [S1-119]", () => {
    assert(
      property(anything(), (value) => {
        expect(intake(policy, value).decision).toBe("needs_clarification");
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it("changes nothing it is given and reads no file itself", () => {
    const facts = deepFreeze({ files: ["package.json"], dependencies: ["react"] });
    const request = deepFreeze({
      ...ask("Add a search box to the order list"),
      context: { project_path: "/no/such/place" },
    });
    const before = JSON.stringify([request, facts]);
    expect(intake(policy, request, facts).decision).toBe("approved");
    expect(JSON.stringify([request, facts])).toBe(before);
  });
});

describe("intake and hostile texts", () => {
  const hostile: Record<string, (size: number) => string> = {
    "one letter": (size) => "a".repeat(size),
    spaces: (size) => " ".repeat(size),
    backticks: (size) => "`".repeat(size),
    "quote marks": (size) => '"a '.repeat(size / 3),
    "open comments": (size) => "<!--".repeat(size / 4),
    "without without": (size) => "without ".repeat(size / 8),
    "so that nobody": (size) => "so that nobody can see ".repeat(size / 23),
    "actions only": (size) => "steal delete send ".repeat(size / 18),
    "rule words, no stop": (size) => "copy the data of someone and ".repeat(size / 29),
    dashes: (size) => "a-".repeat(size / 2),
    dots: (size) => "a.".repeat(size / 2),
    newlines: (size) => "\n".repeat(size),
    quotes: (size) => "> a\n".repeat(size / 4),
    "zero width": (size) => "\u200b".repeat(size),
    accents: (size) => "e\u0301".repeat(size / 2),
  };
  it.each(Object.entries(hostile))("on a megabyte of %s it comes to an end", (_, make) => {
    expect(IntakeDecision.safeParse(intake(policy, ask(make(1_048_576)))).success).toBe(true);
  });
});
