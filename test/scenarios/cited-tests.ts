import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Citation, citationsIn } from "./citations.js";

/** The tests of the manifest itself: the ids in it are examples. */
const OF_THE_MANIFEST = "test/scenarios/requirements.test.ts";

/** Every citation of the test files under `root`, in the order of the files' names. */
export function citationsUnder(root: string): readonly Citation[] {
  return testFilesUnder(root).flatMap((file) => citationsIn(file, readFileSync(join(root, file), "utf8")));
}

function testFilesUnder(root: string): readonly string[] {
  return (
    ["src", "test"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(root, folder, name)),
      )
      .map((path) => relative(root, path))
      // The agents under test bring tests of their own.
      .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules") && file !== OF_THE_MANIFEST)
      .toSorted()
  );
}
