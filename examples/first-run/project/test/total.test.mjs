import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/total.mjs";

test("adds amounts", () => assert.equal(total([{ amount: 1 }, { amount: 2 }]), 3));
