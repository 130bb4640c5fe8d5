import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findAbilities } from "../../../src/hands/sandbox/grade.js";
import { type Hostile, openHostile, PEOPLE, sampled } from "./hostile.js";

/*
 * Whole runs in a hostile clone: its settings name board files and anchors that are links to files of the person. The work
 * is done, the board is not written, and the person is told why.
 */

const CAN = findAbilities().grade === "strong";
const EVIL = "x$(touch HOME/owned)";
const settings = (more: object) => JSON.stringify({ project: EVIL, ...more });
const board = (more: object) => ({
  "coordinator.yaml": settings({ board: { queue: false, hq: false, sessions: false, ...more } }),
});

interface Case {
  readonly name: string;
  readonly repository: Hostile;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "the queue is a link to .bashrc",
    repository: { files: board({ queue: "docs/queue.json" }), links: { "docs/queue.json": "../../home/.bashrc" } },
    says: /docs\/queue\.json/,
  },
  {
    name: "PROJECT_HQ.md is a link to .bashrc",
    repository: { files: board({ hq: "PROJECT_HQ.md" }), links: { "PROJECT_HQ.md": "HOME/.bashrc" } },
    says: /PROJECT_HQ\.md/,
  },
  {
    name: "the folder of sessions is a link to autostart",
    repository: { files: board({ sessions: "sessions" }), links: { sessions: "HOME/.config/autostart" } },
    says: /sessions/,
  },
  {
    name: "a folder on the way to the queue is a link",
    repository: { files: board({ queue: "docs/tasks/queue.json" }), links: { docs: "HOME/box" } },
    says: /docs/,
  },
  {
    name: "files of the board in the state folder are links",
    repository: {
      files: { "coordinator.yaml": settings({}), "governance/contracts/coordinator.yaml": "" },
      links: {
        ".coordinator/board/state.json": "HOME/notes/secret.json",
        ".coordinator/board/work_queue.json": "HOME/.bashrc",
        ".coordinator/board/PROJECT_HQ.md": "HOME/.npmrc",
        ".coordinator/board/turn.db": "HOME/box/turn.db",
        ".coordinator/board/sessions": "HOME/.config/autostart",
      },
    },
    says: /\.coordinator\/board/,
  },
  {
    name: "the file of anchors is a link",
    repository: {
      files: { "coordinator.yaml": settings({ record: { anchor: "anchors.jsonl" } }) },
      links: { "anchors.jsonl": "HOME/new.jsonl", "out.jsonl": "HOME/.bashrc" },
    },
    says: /anchors\.jsonl/,
  },
];

describe.each(PEOPLE)("as $name, a run in a clone with links", (who) => {
  it.skipIf(!CAN).each(sampled(CASES, who))("$name", async ({ repository, says }) => {
    const files = { ...repository.files };
    if (files["governance/contracts/coordinator.yaml"] === "") {
      const { readFileSync } = await import("node:fs");
      files["governance/contracts/coordinator.yaml"] = readFileSync(
        new URL("../../../policy/contract.yaml", import.meta.url),
        "utf8",
      );
    }
    const opened = openHostile({ ...repository, files }, who);
    const ran = await opened.run("run", "--yes", "Document the function one() of src/index.js in README.md");
    expect(opened.harm(ran.output)).toEqual([]);
    let said = ran.output;
    expect(ran.output).not.toContain("INTERNAL");
    expect(readdirSync(opened.home)).not.toContain("owned");
    for (const path of Object.keys(repository.links ?? {}))
      expect(lstatSync(join(opened.project, path)).isSymbolicLink()).toBe(true);
    // What a person does next reads and writes the same files; a run that has ended has a checkpoint to be anchored.
    for (const command of [
      ["status"],
      ["handoff", "last", "--read"],
      ["cancel", "last"],
      ["anchor", "last"],
      ["export", "last", "--out", "out.jsonl"],
    ]) {
      const after = await opened.run(...command);
      expect(opened.harm(after.output)).toEqual([]);
      said += after.output;
    }
    expect(said).toMatch(says);
    expect(said).toMatch(/is a link|link leads out/);
    expect(opened.git("for-each-ref", "refs/coord")).toContain("/1");
  });
});
