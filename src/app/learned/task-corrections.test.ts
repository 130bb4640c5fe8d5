import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shippedModel } from "../../testing/learned-models.js";
import { stateFolder } from "../project/state-folder.js";
import { findTaskCorrections, taskCorrections } from "./task-corrections.js";

const record = (...entries: string[]) =>
  `# 7. Sign releases\n\n## Status\n\nAccepted\n\n## Tasks\n\n${entries.map((entry) => `- ${entry}`).join("\n")}\n`;
const KEY = "Create a key for releases in `keys/release.pub`";
const SIGN = "Sign every archive in the release workflow";
const PAGE = "Write a page that tells users how to verify an archive";
const corrections = (before: string, now: string) => taskCorrections(before, now, "7-x.md", shippedModel("adr"));

describe("a changed list of tasks", () => {
  it("is a task that was taken out", () => {
    expect(corrections(record(KEY, SIGN, PAGE), record(KEY, PAGE))).toEqual([
      {
        kind: "task",
        text: SIGN,
        section: "Tasks",
        decided: { category: "task", rule_id: "adr_tasks" },
        chosen: { category: "none" },
      },
    ]);
  });

  it("is a task that was put in", () => {
    expect(corrections(record(KEY), record(KEY, PAGE))).toMatchObject([
      { text: PAGE, decided: { category: "none" }, chosen: { category: "task" } },
    ]);
  });

  it("is a task in other words, once", () => {
    const other = "Sign every archive and every image in the release workflow";
    expect(corrections(record(KEY, SIGN), record(KEY, other))).toMatchObject([
      { text: SIGN, decided: { category: "task" }, chosen: { category: "task", text: other } },
    ]);
  });

  it("is none when tasks only changed their order", () => {
    expect(corrections(record(KEY, SIGN), record(SIGN, KEY))).toEqual([]);
  });

  it("is none when the record was never planned", async () => {
    const root = mkdtempSync(join(tmpdir(), "task-corrections-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const adr = { label: "ADR-7", file: "7-x.md", checksum: "0".repeat(64), status: "accepted", approved_by: "ada" };
    expect(await findTaskCorrections(stateFolder(root), adr, record(KEY))).toEqual([]);
  });
});
