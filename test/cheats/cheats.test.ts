import { describe, expect, it } from "vitest";
import * as native from "./cases/native.js";
import * as node from "./cases/node.js";
import * as python from "./cases/python.js";
import * as steered from "./cases/steered.js";

/* The attempts to buy a verdict, counted: none may be taken out, and none may be expected to pass. */

const all = [node, python, steered, native];

describe("the attempts to buy a verdict", () => {
  const cheats = all.flatMap((each) => each.cheats);
  const honest = all.flatMap((each) => each.honest);

  it("are at least 60, and none of them passes", () => {
    expect(cheats.length).toBeGreaterThanOrEqual(60);
    expect(cheats.filter(({ expected }) => expected === "PASS")).toEqual([]);
  });

  it("stand beside honest changes, of which few are held", () => {
    expect(honest.length).toBeGreaterThanOrEqual(15);
    expect(honest.filter(({ expected }) => expected !== "PASS").map(({ name }) => name)).toEqual([
      "a version and a dependency that a script does not run",
      "settings of the runner that the plan names are told as such",
    ]);
  });

  it("that nobody can see are named, and the report says that there are such", () => {
    expect(node.unseeable.map(({ says }) => String(says))).toEqual(["/no check sees an answer that is made up/"]);
  });
});
