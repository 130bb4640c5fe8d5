import { describe, expect, it } from "vitest";
import { testsFor } from "./test-names.js";

const files = (...paths: string[]) => paths.map((path) => ({ path, blob: "", bytes: 0 }));

describe("where the tests of a source file are", () => {
  it("finds the test that is called like the file", () => {
    const tree = files("src/click/types.py", "tests/conftest.py", "tests/test_basic.py", "tests/test_types.py");
    expect(testsFor("src/click/types.py", tree)).toEqual(["tests/test_types.py"]);
  });

  it("names a new test as the other tests are called, not as the files that only help them", () => {
    const tree = files("src/click/core.py", "tests/conftest.py", "tests/test_basic.py");
    expect(testsFor("src/click/core.py", tree)).toEqual(["tests/test_core.py"]);
  });

  it("names it like its neighbours where no name says that it is a test", () => {
    const tree = files("lib/view.js", "test/router.js", "test/app.js");
    expect(testsFor("lib/view.js", tree)).toEqual(["test/view.js"]);
  });
});
