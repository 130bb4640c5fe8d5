import assert from "node:assert/strict";
import { test } from "node:test";
import { lists } from "../src/lists.mjs";

test("there are no lists at first", () => assert.equal(lists.size, 0));
