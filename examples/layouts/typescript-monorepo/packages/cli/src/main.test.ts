import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "./main.js";

test("a length is said in both units", () => {
  assert.equal(say(10), "10 ft = 3.05 m");
});
