import assert from "node:assert/strict";
import { test } from "node:test";
import { feetToMetres } from "./length.js";

test("a foot is 30.48 cm", () => {
  assert.equal(feetToMetres(1), 0.3048);
});
