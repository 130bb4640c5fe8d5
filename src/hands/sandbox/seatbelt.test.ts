import { expect, it } from "vitest";
import { seatbelt, seatbeltProfile } from "./seatbelt.js";

const sandbox = { workspace: '/w/a "b"', writable: ["src"], home: "/h", temporary: "/t" };

it("denies what it does not name, hides homes before it shows the workspace, and closes the network", () => {
  const lines = seatbeltProfile(sandbox).split("\n");
  expect(lines[1]).toBe("(deny default)");
  expect(lines.at(-1)).toBe("(deny network*)");
  const hidden = lines.findIndex((line) => line.startsWith("(deny file-read*"));
  const shown = lines.findIndex((line) => line.startsWith("(allow file-read* (subpath"));
  expect(shown).toBeGreaterThan(hidden);
});

it("lets only the directories of the scope be written, with quotes in their names", () => {
  const writes = seatbeltProfile(sandbox)
    .split("\n")
    .filter((line) => line.startsWith("(allow file-write* (subpath"));
  expect(writes).toEqual(['(allow file-write* (subpath "/w/a \\"b\\"/src") (subpath "/h") (subpath "/t"))']);
  expect(seatbelt({ ...sandbox, argv: ["x", "y"] }).slice(-2)).toEqual(["x", "y"]);
});
