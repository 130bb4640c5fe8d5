import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pauseEvent, sha256, STORE_CASES, type StoreUnderTest } from "../../testing/store-suite.js";
import { createRedactor } from "./chain/redact.js";
import { loadSigningKey } from "./chain/signing-key.js";
import { verifyChain } from "./chain/verify-chain.js";
import type { ChainEntry, EventStore, StoreParts } from "./event-store.js";
import { createMemoryStore } from "./memory-store.js";
import { openSqliteStore } from "./sqlite/open-sqlite-store.js";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "coordinator-store-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function opened(path: string, parts: StoreParts): Promise<EventStore> {
  const store = await openSqliteStore(path, parts);
  onTestFinished(() => store.close());
  return store;
}

async function sqlite(parts: StoreParts): Promise<StoreUnderTest> {
  const path = join(folder(), "runs.db");
  const store = await opened(path, parts);
  return {
    store,
    reopen: async () => {
      await store.close();
      return opened(path, parts);
    },
  };
}

interface Kind {
  readonly name: string;
  readonly make: () => Promise<StoreUnderTest>;
  /** Why a store need not do something. */
  readonly skips?: { readonly durability?: string };
}

const KINDS: readonly Kind[] = [
  {
    name: "the memory store",
    make: async () => ({
      store: createMemoryStore({ sha256 }),
      reopen: () => Promise.reject(new Error("it keeps nothing")),
    }),
    skips: { durability: "it lives as long as its process and promises nothing else" },
  },
  { name: "the SQLite store", make: () => sqlite({ sha256 }) },
  { name: "the SQLite store that signs", make: () => sqlite({ sha256, signer: loadSigningKey(folder()) }) },
];

describe.each(KINDS)("$name", ({ make, skips }) => {
  for (const { name, needs, run } of STORE_CASES) {
    const reason = needs === undefined ? undefined : skips?.[needs];
    if (reason === undefined) it(name, async () => run(await make()));
    else it.skip(`${name} (skipped: ${reason})`, () => undefined);
  }
});

describe("secrets in what is appended", () => {
  const SECRET = "s3cret-canary-0001";
  const parts: StoreParts = { sha256, redact: createRedactor([SECRET], "salt", sha256) };

  it.each([
    ["memory", async () => createMemoryStore(parts)],
    ["SQLite", async () => (await sqlite(parts)).store],
  ])("are not in the log of the %s store, which verifies all the same", async (_, make) => {
    const store = await make();
    await store.append("run_secret", 0, [pauseEvent(`the key ${SECRET} was printed`), pauseEvent("and nothing else")]);
    const entries: ChainEntry[] = [];
    for await (const entry of store.entries("run_secret")) entries.push(entry);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
    expect(JSON.stringify(entries)).toMatch(/redacted:[0-9a-f]{16} was printed/);
    expect(verifyChain(entries, { runId: "run_secret", sha256 }).findings).toEqual([]);
    expect(store.redact?.(pauseEvent(SECRET).event)).not.toEqual(pauseEvent(SECRET).event);
  });
});
