import { expect, it } from "vitest";
import { task } from "../../../testing/plan-fixtures.js";
import { taskPlaces } from "./task-places.js";

it("finds each task where its id stands first, and each dependency in its order", () => {
  const tasks = [
    task("TASK-1", { dependencies: [] }),
    task("TASK-2", { dependencies: ["TASK-3", "TASK-1"] }),
    task("TASK-1", { dependencies: ["TASK-9"] }),
    task("TASK-3", { dependencies: ["TASK-1"] }),
  ];
  const { first, dependencies } = taskPlaces(tasks);
  expect([...first]).toEqual([
    ["TASK-1", 0],
    ["TASK-2", 1],
    ["TASK-3", 3],
  ]);
  expect([...dependencies]).toEqual([3, 0, -1, 0]);
});
