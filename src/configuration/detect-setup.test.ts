import { describe, expect, it } from "vitest";
import { detectSetup } from "./detect-setup.js";

const found = (files: Readonly<Record<string, string>>) => detectSetup({ read: async (path) => files[path] ?? null });

const needing = (folder: string) => `  ${folder}:\n    dependencies:\n      a: { specifier: 1.0.0, version: 1.0.0 }\n`;

describe("a setup told from the lockfile of pnpm", () => {
  it("keeps the folder of every package that depends on something, and is made anew when one of them changes", async () => {
    const lock = `lockfileVersion: '9.0'\nimporters:\n  .: {}\n${needing("packages/core")}${needing("apps/web")}  docs: {}\n`;
    expect(await found({ "pnpm-lock.yaml": lock })).toMatchObject({
      tried: true,
      keeps: ["node_modules", "packages/core/node_modules", "apps/web/node_modules"],
      inputs: ["package.json", "pnpm-lock.yaml", "packages/core/package.json", "apps/web/package.json"],
    });
  });

  it("is none without packages, keeps nothing where there are too many folders, and is a comment where it cannot be told", async () => {
    expect(await found({ "pnpm-lock.yaml": "importers:\n  .: {}\n" })).toBeNull();
    const many = Array.from({ length: 60 }, (_, i) => needing(`packages/p${i}`)).join("");
    expect(await found({ "pnpm-lock.yaml": `importers:\n${many}` })).toMatchObject({ tried: true, keeps: [] });
    for (const lock of ["", "a: [", "lockfileVersion: 5.4\ndependencies:\n  a: 1.0.0\n"])
      expect(await found({ "pnpm-lock.yaml": lock })).toMatchObject({ tried: false, keeps: ["node_modules"] });
  });
});

describe("a setup told from the lockfile of npm", () => {
  const lock = (...places: readonly string[]) => ({
    "package-lock.json": JSON.stringify({ packages: Object.fromEntries(places.map((at) => [at, { resolved: "r" }])) }),
  });

  it("keeps what a package of a workspace has for itself, too", async () => {
    const places = ["", "packages/a", "node_modules/x", "node_modules/x/node_modules/y", "packages/a/node_modules/x"];
    expect(await found(lock(...places))).toMatchObject({
      keeps: ["node_modules", "packages/a/node_modules"],
      inputs: ["package.json", "package-lock.json", "packages/a/package.json"],
    });
    expect(await found(lock("", "node_modules/x"))).toMatchObject({ keeps: ["node_modules"] });
    expect(await found(lock(""))).toBeNull();
  });
});
