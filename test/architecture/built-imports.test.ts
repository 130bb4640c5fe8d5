import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../cli/program.js";

/* Programs that nothing compiles, such as the bench, take modules from the build: a module or a name that has gone is found here. */

const IMPORT = /import \{([^}]*)\} from "(?:\.\.\/)+dist\/([^"]+)\.js"/g;

interface Taken {
  readonly by: string;
  readonly module: string;
  readonly names: readonly string[];
}

const files = ["bench", "scripts"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs") && !name.includes("node_modules"))
    .map((name) => join(folder, name)),
);

const taken: Taken[] = files.flatMap((by) =>
  [...readFileSync(join(root, by), "utf8").matchAll(IMPORT)].map(([, names = "", module = ""]) => ({
    by,
    module,
    names: names.split(",").flatMap((name) => /\w+/.exec(name)?.[0] ?? []),
  })),
);

/** Whether a module of the source declares this name, or passes it on. */
function exportsName(module: string, name: string): boolean {
  const text = readFileSync(join(root, "src", `${module}.ts`), "utf8");
  const declared = new RegExp(`^export (?:async )?(?:const|function\\*?|class) ${name}\\b`, "m");
  const passedOn = new RegExp(`^export (?:const )?\\{[^}]*\\b${name}\\b`, "m");
  const all = [...text.matchAll(/^export \* from "\.\/([^"]+)\.js"/gm)];
  return (
    declared.test(text) ||
    passedOn.test(text) ||
    all.some(([, inner = ""]) => exportsName(join(dirname(module), inner), name))
  );
}

describe("programs that nothing compiles", () => {
  it("take from the build what its source has", () => {
    expect(taken.length).toBeGreaterThan(50);
    const gone = taken.flatMap(({ by, module, names }) =>
      existsSync(join(root, "src", `${module}.ts`))
        ? names.filter((name) => !exportsName(module, name)).map((name) => `${by}: ${name} of ${module}`)
        : [`${by}: ${module}`],
    );
    expect(gone).toEqual([]);
  });
});
