import { existsSync, readdirSync, readFileSync } from "node:fs";
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

describe.skipIf(!existsSync("/etc/php"))("settings of PHP in a cage", () => {
  it("are those that load an extension, and no others", () => {
    const shown = systemMounts().mounts.flatMap(({ to }) => (to.startsWith("/etc/php") ? [to] : []));
    expect(shown.some((path) => path.endsWith("ctype.ini"))).toBe(true);
    for (const path of shown) {
      const lines = readFileSync(path, "utf8").split("\n");
      const said = lines.filter((line) => line !== "" && !line.startsWith(";"));
      expect([path, said]).toEqual([path, [expect.stringMatching(/^(?:zend_)?extension=[\w.]+$/)]]);
    }
  });
});
