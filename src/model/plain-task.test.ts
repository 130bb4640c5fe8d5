import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainTasks } from "./plain-task.js";
import { IntentTask, Priority, TaskType } from "./task.js";

const REQUIRED = [
  "command_id",
  "completion_promise",
  "dependencies",
  "estimated_iterations",
  "files",
  "id",
  "priority",
  "tests",
  "title",
  "type",
] as const;
const words = fc.constantFrom("Some words", "abc", "😀😀😀", "t".repeat(64));
const lists = fc.array(fc.constantFrom("src/a.ts", "x", "😀", "TASK-002"), { maxLength: 3 });

const task = fc.record(
  {
    adr: words,
    agent: fc.constantFrom("builder", "a".repeat(81)),
    description: fc.oneof(words, fc.constant(""), fc.constant("😀".repeat(4000))),
    estimate: fc.constant({ tokens: 5, minutes: 1.5 }),
    command_id: fc.constantFrom("edit_code", "e".repeat(121)),
    completion_promise: words,
    dependencies: lists,
    estimated_iterations: fc.integer({ min: 1, max: 100 }),
    files: lists,
    id: fc.constantFrom("TASK-001", "abc", "T".repeat(64)),
    priority: fc.constantFrom(...Priority.options),
    tests: lists,
    title: fc.oneof(words, fc.constant("😀".repeat(160))),
    type: fc.constantFrom(...TaskType.options),
  },
  { requiredKeys: [...REQUIRED], noNullPrototype: true },
);

const keys = fc.constantFrom(...REQUIRED, "adr", "agent", "description", "estimate", "unknown", "__proto__");
const oddTexts = ["", "a", "ab", "😀", "9TASK", "Edit", "P9", "chore", "3", "😀".repeat(120)];
const longTexts = [65, 122, 161, 513, 4001].map((length) => "x".repeat(length));
const oddValues = [0, 101, 1.5, Number.NaN, null, undefined, true, {}, [], [""], [1], [undefined]];
const longLists = [["x".repeat(65)], ["x".repeat(513)], Array(1000).fill("a"), Array(1001).fill("a")];
const oddEstimates = [{ minutes: 1 }, { minutes: 0, tokens: 1.5 }, { minutes: -1, tokens: 1 }, { tokens: 1, hours: 1 }];
const odd = fc.constantFrom<unknown>(...oddTexts, ...longTexts, ...oddValues, ...longLists, ...oddEstimates);

/** A task with up to two odd things about it, its keys in any order. */
const nearlyTask = fc
  .tuple(task, fc.array(fc.tuple(keys, odd), { maxLength: 2 }))
  .chain(([plain, changes]) => {
    const entries = [...new Map<string, unknown>([...Object.entries(plain), ...changes])];
    return fc.shuffledSubarray(entries, { minLength: entries.length });
  })
  .map((entries): unknown => Object.fromEntries(entries));

describe("plainTasks", () => {
  it("reads a task exactly as the schema does, or leaves it to the schema", () => {
    let read = 0;
    fc.assert(
      fc.property(nearlyTask, (task) => {
        const plain = plainTasks([task]);
        const parsed = IntentTask.safeParse(task);
        // A task that the schema refuses is never read; a task that it takes is read alike, to the order of the keys.
        expect(plain !== null && !parsed.success).toBe(false);
        if (plain !== null) expect(JSON.stringify(plain[0])).toBe(JSON.stringify(parsed.data));
        if (plain !== null) read++;
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it.each([
    ["no list", {}],
    ["a task that is none", [null]],
    ["a list as a task", [[]]],
    ["a hole", Array(1)],
    ["fields that are not its own", [Object.create({ id: "TASK-001" })]],
  ])("leaves %s to the schema", (_, value) => {
    expect(plainTasks(value)).toBeNull();
  });

  it("leaves a field that is there and undefined to the schema", () => {
    const task = IntentTask.parse({
      command_id: "edit_code",
      completion_promise: "DONE",
      dependencies: [],
      estimated_iterations: 1,
      files: [],
      id: "TASK-1",
      priority: "P2",
      tests: [],
      title: "A title",
      type: "docs",
    });
    expect(plainTasks([task])).toEqual([task]);
    expect(plainTasks([{ ...task, agent: undefined }])).toBeNull();
    expect(plainTasks([{ ...task, agent: undefined, other: 1 }])).toBeNull();
  });
});

it("reads every ordinary task", () => {
  fc.assert(
    fc.property(task, (ordinary) => {
      expect(JSON.stringify(plainTasks([ordinary]))).toBe(JSON.stringify([IntentTask.parse(ordinary)]));
    }),
  );
});
