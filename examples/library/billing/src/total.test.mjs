import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "./total.mjs";

void test("a total is the sum of its items", () => assert.equal(total([{ cents: 2 }, { cents: 3 }]), 5));
