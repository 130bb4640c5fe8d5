import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withLogins } from "./with-logins.js";

describe("what a person agreed to, in their own settings", () => {
  it.each([
    ["no file", "", { logins: ["claude"] }],
    ["a comment alone", "# mine\n", { logins: ["claude"] }],
    ["other settings", "# mine\ndefault_agent: claude # the best", { default_agent: "claude", logins: ["claude"] }],
    ["other logins", "logins:\n  - codex # paid\n", { logins: ["codex", "claude"] }],
    ["a line of logins", "logins: [codex]\nheadroom: 3\n", { logins: ["codex", "claude"], headroom: 3 }],
    ["one line", "{ headroom: 3 }\n", { headroom: 3, logins: ["claude"] }],
  ])("is added to %s, and what was there stays", (_, before, after) => {
    const text = withLogins(before, ["claude"]);
    expect(parse(text)).toEqual(after);
    for (const comment of before.match(/# \w+/g) ?? []) expect(text).toContain(comment);
    expect(withLogins(text, ["claude"])).toBe(text);
  });
});
