import { describe, expect, it } from "vitest";
import { TestCounter } from "./count-tests.js";

const counted = (...pieces: readonly string[]) => {
  const counter = new TestCounter();
  for (const piece of pieces) counter.take(piece);
  return { ...counter.count, last: counter.last };
};

describe("counting tests while they run", () => {
  it.each([
    ["TAP", "ok 1 - adds\nnot ok 2 - subtracts\nok 3 # SKIP\n", 2, 1],
    ["go test -v", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\n", 1, 1],
    ["go test -json", '{"Action":"pass","Package":"p","Test":"A"}\n{"Action":"pass","Package":"p"}\n', 1, 0],
    ["libtest", "test a::b ... ok\ntest a::c ... FAILED\n", 1, 1],
    ["pytest -v", "tests/a.py::test_x PASSED [ 50%]\ntests/a.py::test_y FAILED [100%]\n", 1, 1],
    ["pytest -q", "..F.s                 [ 40%]\ntests/b.py ....       [ 80%]\n", 7, 1],
    ["vitest and mocha", " \u001b[32m✓\u001b[39m adds 3ms\n × subtracts\n  ✔ works\n", 2, 1],
    ["a compiler", "cc -c ok.c\nPASSED\n12 ok\n", 0, 0],
  ])("reads %s", (_, text, passed, failed) => {
    expect(counted(text)).toMatchObject({ passed, failed });
  });

  it("does not mind where the pieces are cut", () => {
    expect(counted("ok 1 - ad", "ds\nnot o", "k 2 - x\n\n")).toEqual({ passed: 1, failed: 1, last: "not ok 2 - x" });
  });
});
