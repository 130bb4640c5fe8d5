import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readStructured } from "./structured-output.js";

const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

describe("a structured answer", () => {
  it.each([
    ["bare", '{"a": 1}'],
    ["in a fence", 'Here:\n```json\n{"a": 1}\n```\nThat is all.'],
    ["in a fence of tildes, indented", '  ~~~\n{"a": 1}\n  ~~~'],
    ["in prose", 'The result is {"a": 1}, as asked.'],
    ["after a draft", '```json\n{"a": 0}\n```\nNo:\n```json\n{"a": 1}\n```'],
    ["after one that does not match", '{"b": 2} and then {"a": 1}'],
    ["with brackets in a string", '{"a": 1, "b": "} ] { ["}'],
  ])("is found %s", (_, output) => {
    const answer = readStructured(output, schema);
    expect(answer).toMatchObject({ ok: true, value: { a: 1 } });
  });

  it.each([
    ["nothing", "", /no JSON/],
    ["prose", "I could not do it.", /no JSON/],
    ["half of it", '{"a": 1', /no JSON/],
    ["the wrong type", '{"a": "1"}', /^a: /],
    ["a missing field", '{"b": 1}', /^a: /],
    ["a flood of brackets", "[".repeat(200_000), /no JSON/],
  ])("is malformed when it is %s", (_, output, message) => {
    expect(readStructured(output, schema)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });

  it("takes a Zod schema too, and says when a JSON Schema cannot be used", () => {
    expect(readStructured("[1, 2]", z.array(z.int()))).toEqual({ ok: true, value: [1, 2] });
    expect(readStructured("{}", { type: "nonsense" })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/schema/),
    });
  });
});
