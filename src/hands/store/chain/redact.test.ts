import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pauseEvent, sha256 } from "../../../testing/store-suite.js";
import { createMemoryStore } from "../memory-store.js";
import { redact } from "./redact.js";

const mark = (secret: string) => `redacted:${sha256(`salt${secret}`).slice(0, 16)}`;
const clean = <T>(value: T, ...secrets: string[]) => redact(value, secrets, "salt", sha256);

describe("redaction", () => {
  it.each([
    ["in the middle", "key=hunter2!", "key=" + mark("hunter2") + "!"],
    ["twice", "hunter2hunter2", mark("hunter2").repeat(2)],
    ["not there", "hunter", "hunter"],
  ])("%s", (_, text, expected) => expect(clean(text, "hunter2")).toBe(expected));

  it("goes through everything, keys too, and leaves the rest", () => {
    const value = { a: ["hunter2", 0, null, false], hunter2: { b: "x" }, n: 1.5 };
    expect(clean(value, "hunter2")).toEqual({
      a: [mark("hunter2"), 0, null, false],
      [mark("hunter2")]: { b: "x" },
      n: 1.5,
    });
    expect(value.a[0]).toBe("hunter2");
  });

  it("takes the longer of two secrets, and signs of patterns as they are", () => {
    expect(clean("abcdef abc", "abc", "abcdef")).toBe(`${mark("abcdef")} ${mark("abc")}`);
    expect(clean("a.c abc $&", "a.c", "$&")).toBe(`${mark("a.c")} abc ${mark("$&")}`);
  });

  it("finds a secret inside of JSON text", () => {
    const secret = 'p"w\n\\x';
    expect(clean(JSON.stringify({ secret }), secret)).toBe(`{"secret":"${mark(secret)}"}`);
  });

  it("does nothing without secrets", () => {
    expect(clean({ a: "" }, "")).toEqual({ a: "" });
    expect(clean("text")).toBe("text");
  });

  it("the same secret has the same mark, another salt another", () => {
    expect(clean("hunter2", "hunter2")).toBe(clean("hunter2", "hunter2"));
    expect(redact("hunter2", ["hunter2"], "pepper", sha256)).not.toBe(clean("hunter2", "hunter2"));
  });

  it("no secret is left, whatever stands around it", () => {
    // Capitals: no mark holds one, so a secret that is found afterwards was left.
    const secret = fc.string({ unit: fc.constantFrom("Q", "X", "Z", ".", "*"), minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1 }), fc.array(fc.string()), (secrets, around) => {
        const text = around.flatMap((part, i) => [part, secrets[i % secrets.length]]).join("");
        const left = clean({ text }, ...secrets).text;
        for (const each of secrets) expect(left).not.toContain(each);
      }),
    );
  });

  it("happens before a store hashes and writes", async () => {
    const store = createMemoryStore({ sha256, redact: (event) => clean(event, "hunter2") });
    const result = await store.append("run_secret", 0, [pauseEvent("the key is hunter2")]);
    expect(JSON.stringify(result)).not.toContain("hunter2");
    for await (const entry of store.read("run_secret"))
      expect(entry.event).toEqual({ type: "dispatch_paused", reason: `the key is ${mark("hunter2")}` });
  });
});
