import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "../src/greet.mjs";

await test("greets by name", () => assert.equal(greet("Ada"), "Hello, Ada!"));
await test("takes no blanks along", () => assert.equal(greet(" Ada "), "Hello, Ada!"));
await test("knows nobody", () => assert.equal(greet(""), "Hello, stranger!"));
