import assert from "node:assert/strict";
import { test } from "node:test";
import { title } from "../src/titles.mjs";

test("a title has no blanks around it", () => assert.equal(title({ name: " May " }), "May"));
