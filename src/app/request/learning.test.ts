import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MemoryPack } from "../../model/settings/packs.js";
import { stateFolder } from "../project/state-folder.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { sha256 } from "../../hands/store/sha256.js";
import { memoryPack, rememberRuns } from "./learning.js";

it("the end of a run keeps what the memory was built from, so that no plan is counted twice", async () => {
  const root = mkdtempSync(join(tmpdir(), "coordinator-learning-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = { ...stateFolder(root), folder: root };
  const parts = { coordinatorVersion: "0.0.0", sha256, now: () => "2026-02-03T04:05:06Z" };
  const learned_from = [sha256("a plan"), sha256("an observation")];
  const ratio = {
    of: "command",
    name: "run_tests",
    tokens: 2,
    token_samples: 3,
    minutes: null,
    minute_samples: 0,
  } as const;
  const content = { project_id: "shop", notes: [], history: [], answers: [], learned_from };
  writeFileSync(join(root, "memory.json"), JSON.stringify(memoryPack({ ...content, ratios: [ratio] }, parts)));
  // There are no runs any more, so the ratios go: the pack is written anew.
  await rememberRuns(createMemoryStore({ sha256 }), at, parts, (problem) => expect.unreachable(problem));
  const pack = MemoryPack.parse(JSON.parse(readFileSync(join(root, "memory.json"), "utf8")));
  expect([pack.ratios, pack.learned_from]).toEqual([undefined, learned_from]);
});
