import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentEvent } from "../agents/agent.js";
import type { ToolUse } from "../../model/scope.js";
import { claimedEdits } from "./claimed-edits.js";

function place() {
  const workspace = mkdtempSync(join(tmpdir(), "coordinator-claims-"));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const git = (args: readonly string[]) => execFileSync("git", ["-C", workspace, ...args]);
  git(["init", "-q"]);
  for (const file of ["kept.txt", "ours.txt", "old name.txt"]) writeFileSync(join(workspace, file), `${file}\n`);
  git(["add", "."]);
  const base = git(["write-tree"]).toString().trim();
  const quarantine = { gitDir: join(workspace, ".git"), git: { must: async (_: string, { args }: Call) => git(args) } };
  return { workspace, base, quarantine: quarantine as never };
}

interface Call {
  readonly args: readonly string[];
}

function effect(kind: ToolUse["kind"], path: string, access: "write" | "delete" = "write", status = "completed") {
  const paths = path === "" ? [] : [{ path, access }];
  const use = { tool_call_id: "c", stage: "deed", kind, title: kind, paths, command: null, hosts: [] } as const;
  return {
    type: "tool",
    use,
    status,
    judgement: { decision: "allow", rule_id: "r", reason: "" },
  } as unknown as AgentEvent;
}

async function neverMade(events: readonly AgentEvent[], standing: readonly string[] = []) {
  const { workspace, ...at } = place();
  for (const file of standing) writeFileSync(join(workspace, file), "new\n");
  rmSync(join(workspace, "old name.txt"));
  const claims = claimedEdits();
  for (const event of events) claims.hear(event);
  return claims.neverMade([{ path: "ours.txt", change: "modified" }] as never, { workspace, ...at });
}

describe("what an agent says it changed", () => {
  it("is compared with the files: neither what it left as it was nor what never stood there counts as made", async () => {
    const said = ["ours.txt", "kept.txt", "nowhere.txt"].map((path) => effect("edit", path));
    expect(await neverMade(said)).toEqual(["kept.txt", "nowhere.txt"]);
    expect(await neverMade([effect("delete", "kept.txt", "delete")])).toEqual(["kept.txt"]);
  });

  it("is believed of files that git ignores, of what was moved, removed again or may have been", async () => {
    expect(await neverMade([effect("edit", "ignored.log")], ["ignored.log"])).toEqual([]);
    expect(await neverMade([effect("move", "old name.txt", "delete"), effect("move", "ours.txt")])).toEqual([]);
    expect(await neverMade([effect("edit", "t.txt"), effect("delete", "t.txt", "delete")])).toEqual([]);
    expect(await neverMade([effect("edit", "t.txt"), effect("execute", "")])).toEqual([]);
  });

  it("is not a claim while it is under way, of a command, or outside of the workspace", async () => {
    expect(await neverMade([effect("edit", "kept.txt", "write", "in_progress")])).toEqual([]);
    expect(await neverMade([effect("execute", "kept.txt")])).toEqual([]);
    expect(await neverMade([effect("edit", "/tmp/elsewhere.txt"), effect("edit", "../up.txt")])).toEqual([]);
  });
});
