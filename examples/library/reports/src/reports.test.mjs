import assert from "node:assert/strict";
import { test } from "node:test";
import { titleOf } from "./reports.mjs";

void test("a title has no blanks around it", () => assert.equal(titleOf({ title: " May " }), "May"));
