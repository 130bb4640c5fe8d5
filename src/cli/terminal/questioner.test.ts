import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { questioner } from "./questioner.js";

/* Somebody at a terminal of so many columns, as far as the program can tell. */
function terminal(columns = 80, more: { readonly env?: Record<string, string>; readonly isTTY?: boolean } = {}) {
  const { env = {}, isTTY = true } = more;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  const read: string[] = [];
  stderr.on("data", (piece: Buffer) => read.push(piece.toString("utf8")));
  return { host: { stdin, stderr, env } as unknown as NodeJS.Process, stdin, said: () => read.join("") };
}

const QUESTION = {
  id: "q_strategy",
  question: "Should the migration run online or offline? It may take long.",
  options: ["online", "offline, at night"],
  place: "1 of 2",
  before: ["One thing has to be known."],
};

function typing(keys: string, asked = QUESTION, at = terminal()) {
  const answer = questioner({}, at.host)?.(asked);
  at.stdin.write(keys);
  return answer;
}

describe("a question that wants words", () => {
  it.each([
    ["as they are typed", "both, one after another\r", { kind: "said", text: "both, one after another" }],
    ["by the number of a choice", "2\r", { kind: "said", text: "offline, at night" }],
    ["of several lines that were pasted", "first\rsecond\r", { kind: "said", text: "first\nsecond" }],
    ["not now, by Enter alone", "\r", { kind: "left" }],
    ["not at all, by Ctrl-D", "\u0004", { kind: "ended" }],
    ["not at all, by Ctrl-C", "\u0003", { kind: "interrupted" }],
  ])("takes them %s", async (_, keys, expected) => {
    expect(await typing(keys)).toEqual(expected);
  });

  it("takes a number for itself where there is nothing to choose", async () => {
    expect(await typing("2\r", { ...QUESTION, options: [] })).toEqual({ kind: "said", text: "2" });
  });

  it("asks again for a number that is none of theirs", async () => {
    const at = terminal();
    const answer = typing("3\r", QUESTION, at);
    await vi.waitFor(() => expect(at.said()).toContain("There are 2 to choose from"));
    at.stdin.write("1\r");
    expect(await answer).toEqual({ kind: "said", text: "online" });
  });

  it("keeps to the width of the terminal, and shows nothing that could move its cursor", async () => {
    const at = terminal(30);
    await typing("\r", { ...QUESTION, question: `Which\u001b[2J one? ${"word ".repeat(20)}` }, at);
    const shown = at.said().split("> ")[0] ?? "";
    expect(shown).not.toContain("\u001b[2J");
    expect(Math.max(...shown.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(30);
  });

  it("is asked of nobody without a terminal, in CI, or when nobody wants to be asked", () => {
    expect(questioner({}, terminal(80, { isTTY: false }).host)).toBeNull();
    expect(questioner({}, terminal(80, { env: { CI: "1" } }).host)).toBeNull();
    for (const given of [{ json: true }, { yes: true }, { input: false }])
      expect(questioner(given, terminal().host)).toBeNull();
  });
});
