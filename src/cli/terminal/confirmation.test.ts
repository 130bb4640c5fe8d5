import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { confirmation } from "./confirmation.js";

/* A person at a terminal, as far as the program can tell: what they type, what they read, and whether it ends. */

function terminal(more: { readonly env?: Record<string, string>; readonly isTTY?: boolean } = {}) {
  const { env = {}, isTTY = true } = more;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const read: string[] = [];
  stderr.on("data", (piece: Buffer) => read.push(piece.toString("utf8")));
  const ended: number[] = [];
  const host = { stdin, stderr, env, exit: (code: number) => void ended.push(code) } as unknown as NodeJS.Process;
  return { host, stdin, ended, said: () => read.join("") };
}

const asking = (at: ReturnType<typeof terminal>) => confirmation({}, at.host, "Go on?")?.("What would be done.");

describe("a question at a terminal", () => {
  it.each([
    ["y", true],
    ["", true],
    ["YES", true],
    ["n", false],
    ["no", false],
  ])("takes %j for %s", async (typed, answer) => {
    const at = terminal();
    const asked = asking(at);
    at.stdin.write(`${typed}\n`);
    expect(await asked).toBe(answer);
    expect(at.said()).toContain("What would be done.\n");
  });

  it("asks again when it does not understand, and never takes that for an answer", async () => {
    const at = terminal();
    const asked = asking(at);
    at.stdin.write("maybe\n");
    while (!at.said().includes("Please answer y or n.")) await new Promise((done) => setTimeout(done, 5));
    at.stdin.write("n\n");
    expect(await asked).toBe(false);
  });

  it("takes the end of the input for no", async () => {
    const at = terminal();
    const asked = asking(at);
    at.stdin.end();
    expect(await asked).toBe(false);
    const key = terminal();
    const pressed = asking(key);
    key.stdin.write("\u0004");
    expect(await pressed).toBe(false);
  });

  it("ends the program at Ctrl-C, and says that nothing was begun", async () => {
    const at = terminal();
    const asked = asking(at);
    at.stdin.write("\u0003");
    await asked;
    expect(at.ended).toEqual([130]);
    expect(at.said()).toContain("Nothing was begun");
  });

  it("is asked of nobody without a terminal, in CI, or when the answer was given beforehand", () => {
    expect(confirmation({}, terminal({ isTTY: false }).host, "?")).toBeNull();
    expect(confirmation({}, terminal({ env: { CI: "1" } }).host, "?")).toBeNull();
    for (const given of [{ json: true }, { yes: true }, { input: false }])
      expect(confirmation(given, terminal().host, "?")).toBeNull();
  });
});
