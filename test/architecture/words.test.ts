import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SMALL_WORDS } from "../../src/foundation/text/small-words.js";
import { HEADINGS } from "../../src/mind/adr/heading-lists.js";
import { STATUS_WORDS } from "../../src/mind/adr/status-word-lists.js";
import { FOREIGN_WORDS } from "../../src/mind/intake/reading/foreign-words.js";
import { DELIVERABLE_WORDS } from "../../src/mind/propose/template/deliverable-words.js";
import { CHANGE_OPENERS, CHANGE_VERBS, PHRASES } from "../../src/mind/route/signals/phrase-lists.js";

describe("words of the mind that are data", () => {
  it("are those of policy/adr-status.yaml: after a change there, `npm run words`", () => {
    const { statuses } = parse(readFileSync("policy/adr-status.yaml", "utf8")) as {
      statuses: Record<string, Record<string, string[]>>;
    };
    const joined = Object.entries(statuses).map(
      ([status, { english = [], abroad = [], without_spaces = [], alone }]) => ({
        status,
        words: [...english, ...abroad].join("|"),
        parts: without_spaces.join("|"),
        alone: alone?.join("|") ?? null,
      }),
    );
    expect(STATUS_WORDS).toEqual(joined);
  });

  it("are those of policy/routing-phrases.yaml: after a change there, `npm run words`", () => {
    const { phrases, words } = parse(readFileSync("policy/routing-phrases.yaml", "utf8")) as Record<
      "phrases" | "words",
      Record<string, string[]>
    >;
    expect(PHRASES).toEqual(phrases);
    expect({ change_verbs: CHANGE_VERBS.split(" "), change_openers: CHANGE_OPENERS.split(" ") }).toEqual(words);
  });

  it("are those of the other lists in policy: after a change there, `npm run words`", () => {
    const read = (name: string) => parse(readFileSync(`policy/${name}.yaml`, "utf8")) as unknown;
    expect(read("adr-headings")).toEqual({ headings: HEADINGS });
    expect(read("small-words")).toEqual({ languages: SMALL_WORDS, foreign: FOREIGN_WORDS });
    expect(read("deliverables")).toEqual({ deliverables: DELIVERABLE_WORDS });
  });
});
