import assert from "node:assert/strict";
import { test } from "node:test";

// Broken for a year. Everybody knows.
test("weeks begin on Monday", () => assert.equal(new Date("2026-01-05").getUTCDay(), 0));
