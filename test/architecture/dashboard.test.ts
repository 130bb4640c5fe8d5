import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/* The dashboard is a front in a browser: it takes types from the program and nothing else, in one file. */

it("takes nothing but types from the program, in one file", () => {
  const files = readdirSync("web/src", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join("web/src", name));
  expect(files.length).toBeGreaterThan(30);
  const taken = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^(import[^;]*?) from "((?:\.\.\/)+src\/[^"]+)"/gm)].map(
      ([, words = "", from = ""]) => ({ file, words, from }),
    ),
  );
  expect(taken.length).toBeGreaterThan(10);
  expect(taken.filter(({ file, words }) => file !== "web/src/types.ts" || !words.startsWith("import type "))).toEqual(
    [],
  );
});
