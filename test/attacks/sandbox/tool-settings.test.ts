import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { systemMounts } from "../../../src/hands/sandbox/layout.js";

const java = readdirSync("/etc").find((name) => /^java-\d+-openjdk$/.test(name));

describe.skipIf(java === undefined)("settings of Java and Maven in a sandbox", () => {
  it("are shown one by one, and none that may hold a password", () => {
    const shown = systemMounts().mounts.map(({ to }) => to);
    expect(shown).toContain(`/etc/${java}/security`);
    expect(shown.filter((path) => /\/(management|settings\.xml|maven|java-\d+-openjdk)$/.test(path))).toEqual([]);
  });
});
