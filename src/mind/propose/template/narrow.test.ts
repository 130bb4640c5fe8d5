import { describe, expect, it } from "vitest";
import type { FactPack } from "../../../model/settings/packs.js";
import { narrowingOf } from "./narrow.js";

function pack(facts: Readonly<Record<string, readonly string[]>>): FactPack {
  const entries = Object.entries(facts).map(([name, value]) => [name, { value: [...value], evidence_ref: "git://x" }]);
  return {
    schema_version: "1.0.0",
    pack_id: "facts_test",
    project_id: "p",
    collected_at: "2026-02-03T04:05:06Z",
    facts: Object.fromEntries(entries) as FactPack["facts"],
  };
}

const FLAT = pack({
  source_places: ["src/**"],
  source_files: ["src/args.ts", "src/command.ts", "src/cli/run.ts", "src/deep/a.ts", "src/deep/b.ts"],
  named_files: [
    "command.ts\tsrc/command.ts\tsource",
    "index.ts\tsrc/cli/index.ts\tsource",
    "index.ts\tsrc/deep/index.ts\tsource",
  ],
  named_stems: ["args\tsrc/args.ts", "command\tsrc/command.ts"],
  named_folders: ["deep\tsrc/deep", "cli\tsrc/cli"],
  defined_names: [
    "walkDeep\tsrc/deep/a.ts",
    "deepWalk\tsrc/deep/b.ts",
    "run\t*",
    "runAll\tsrc/cli/run.ts",
    "Concat\tsrc/deep/a.ts",
    "id\tsrc/deep/a.ts",
    "HTTP\tsrc/deep/b.ts",
  ],
  file_neighbours: ["src/deep/a.ts\tsrc/args.ts", "src/deep/b.ts\t*", "src/command.ts\tsrc/args.ts"],
  file_tests: ["src/command.ts\ttest/command.test.ts"],
});
const PACKAGES = pack({
  source_places: ["packages/accepts/**", "packages/core/**", "packages/proxy-addr/**", "packages/res/**"],
  packages: ["packages/accepts", "packages/core", "packages/proxy-addr", "packages/res"],
  named_folders: [
    "accepts\tpackages/accepts",
    "core\tpackages/core",
    "packages/core\tpackages/core",
    "res\tpackages/res",
    "re\tpackages/res/re",
    "proxy-addr\tpackages/proxy-addr",
    "hue\tpackages/core/integrations/hue",
    "integration\tpackages/res/integration",
    "twice\tpackages/core/twice",
    "twice\tpackages/res/twice",
  ],
  defined_names: ["setLocation\tpackages/res/src/headers.ts"],
  file_neighbours: ["packages/res/src/headers.ts\tpackages/core/src/app.ts"],
});

describe("the part of the source a request is about", () => {
  it.each([
    // A file by its base name, as it is really called, and its own tests.
    ["Fix runCommand in command.ts", FLAT, ["src/command.ts"], ["src/**"]],
    // A definition, with what lies beside it and what uses it.
    ["Fix `walkDeep` for empty lists", FLAT, ["src/deep/**", "src/args.ts"], null],
    ["walkDeep() loses its last entry", FLAT, ["src/deep/**", "src/args.ts"], null],
    // A folder in front of a colon, or beside a noun that calls it a part.
    ["deep: keep the order", FLAT, ["src/deep/**"], null],
    ["fix(cli): keep the order", FLAT, ["src/cli/**"], null],
    ["Let the hue integration reconnect", PACKAGES, ["packages/core/integrations/hue/**"], null],
    ["Fix the packages/core folder", PACKAGES, ["packages/core/**"], null],
    // A package by its name, where it is said as one.
    ["fix(res): encode backslashes", PACKAGES, ["packages/res/**"], null],
    ["Round the length in core", PACKAGES, ["packages/core/**"], null],
    ["Drop the proxy-addr fallback", PACKAGES, ["packages/proxy-addr/**"], null],
    ["Fix `setLocation`", PACKAGES, ["packages/res/**", "packages/core/src/app.ts"], null],
  ])("of %j is named", (text, facts, change, extend) => {
    const found = narrowingOf(text, facts);
    expect(found).toMatchObject({ change, extend: extend ?? change });
    expect(found?.because.length).toBeGreaterThan(0);
    expect(narrowingOf(text, structuredClone(facts))).toEqual(found);
  });

  it.each([
    ["Fix the list of ids that is empty", FLAT, "short words name nothing"],
    ["Allow user-defined `-h`, `--help` args", FLAT, "options name nothing, and args is only a word"],
    ["Fix the command", FLAT, "a word that is a file's name without its ending"],
    ["Fix index.ts", FLAT, "two files are called so"],
    ["Simplify it with slices.Concat", FLAT, "the name belongs to something that is not here"],
    ["Fix `run`", FLAT, "defined in many files"],
    ["Fix `deepWalk`", FLAT, "used nearly everywhere"],
    ['Reject "walkDeep of nothing" as a title', FLAT, "quoted text names nothing"],
    ["Fix HTTP handling", FLAT, "a technology"],
    ["Add `freshName` beside `walkDeep`", FLAT, "what is new may go anywhere"],
    ["Narrow the boolean in accepts return types", PACKAGES, "a word that is a package too"],
    ["Fix the res", PACKAGES, "no noun says that it is a part"],
    ["Fix the twice module", PACKAGES, "two folders are called so"],
    ["Because of re in the redirect", PACKAGES, "two letters"],
    ["Add a farewell", null, "nothing is known"],
  ])("of %j is not clear", (text, facts, why) => {
    expect(narrowingOf(text, facts), why).toBeNull();
  });

  it("grows by what its other words are called, and never shrinks to them", () => {
    expect(narrowingOf("fix(cli): keep the args", FLAT)?.change).toEqual(["src/cli/**", "src/args.ts"]);
  });

  it("is not called narrow when it is nearly everything, or when a request lists many things", () => {
    const one = pack({
      source_places: ["src/**"],
      source_files: ["src/lib/a.ts", "src/lib/b.ts"],
      defined_names: ["walkDeep\tsrc/lib/a.ts"],
    });
    expect(narrowingOf("Fix `walkDeep`", one)).toBeNull();
    const points = Array.from({ length: 9 }, (_, at) => `- do ${at} more`).join("\n");
    expect(narrowingOf(`Fix command.ts\n${points}`, FLAT)).toBeNull();
  });

  it("is never a name that would be read as a pattern", () => {
    const facts = pack({ source_places: ["src/**"], named_files: ["[id].ts\tsrc/a/[id].ts\tsource"] });
    expect(narrowingOf("Fix [id].ts", facts)).toBeNull();
  });

  it("knows the packages and tests that belong to it", () => {
    expect(narrowingOf("fix(res): encode backslashes", PACKAGES)?.packages).toEqual(["packages/res"]);
    expect(narrowingOf("Fix command.ts", FLAT)?.tests).toEqual(["test/command.test.ts"]);
  });
});
