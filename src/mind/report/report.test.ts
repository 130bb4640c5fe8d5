import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoardRun, BoardTask } from "./queue/board-run.js";
import { renderHandoff } from "./handoff.js";
import { beginMarker, endMarker, type Section, withSections } from "./marked-sections.js";
import { boardSections, newBoard, type ProjectHq } from "./project-hq.js";

const sections: Section[] = [
  { name: "status-dashboard", text: "## Status\n\nnew status\n" },
  { name: "blockers", text: "## Blockers\n\nnew blockers\n" },
];

/** The parts of a text that people own: everything outside of whole pairs. */
function outside(text: string): string {
  return sections.reduce((rest, { name }) => {
    const [from, to] = [rest.indexOf(beginMarker(name)), rest.indexOf(endMarker(name))];
    return from < 0 || to < from ? rest : rest.slice(0, from + beginMarker(name).length) + rest.slice(to);
  }, text);
}

describe("marked sections", () => {
  /** Bytes of any kind, line breaks of both kinds, and what looks like a marker. */
  const anything = array(
    constantFrom(
      "\n",
      "\r\n",
      "# Mine",
      "<!--",
      "-->",
      "\u00ff\u00fe",
      "\u0000",
      "|",
      "<!-- coordinator:begin other -->",
    ),
    { maxLength: 12 },
  ).map((parts) => parts.join(""));
  const words = string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll(/[^\0-\xff]/g, "x"));

  it("leave every byte that people wrote as it was, and are up to date [S3-042]", () => {
    assert(
      property(anything, words, words, constantFrom("\n", "\r\n"), (before, between, after, newline) => {
        const clean = [before, between, after].map((text) => text.replaceAll(/<!-- coordinator:[^>]*>/g, ""));
        const pair = (name: string) => `${beginMarker(name)}${newline}old${newline}${endMarker(name)}`;
        const text = `${clean[0]}${pair("status-dashboard")}${clean[1]}${pair("blockers")}${clean[2]}`;
        const made = withSections(text, sections);
        expect(made.broken).toEqual([]);
        expect(outside(made.text)).toBe(outside(text));
        expect(made.text).toContain(`new status${newline}${endMarker("status-dashboard")}`);
        expect(withSections(made.text, sections).text).toBe(made.text);
      }),
    );
  });

  it("are put at the end of a file that has none, behind whatever is there, with or without a last line break", () => {
    assert(
      property(words, (mine) => {
        const text = mine.replaceAll(/<!-- coordinator:[^>]*>/g, "");
        const made = withSections(text, sections);
        expect(made.text.startsWith(text)).toBe(true);
        for (const { name } of sections) expect(made.text).toContain(endMarker(name));
        expect(withSections(made.text, sections).text).toBe(made.text);
      }),
    );
  });

  it("that are broken in any way lose nothing: what cannot be told apart is left alone, and said", () => {
    const marks = sections.flatMap(({ name }) => [beginMarker(name), endMarker(name)]);
    assert(
      property(array(constantFrom(...marks, "mine\n", "\r\n", "more"), { minLength: 1, maxLength: 10 }), (parts) => {
        const text = parts.join("");
        if (!marks.some((mark) => text.includes(mark))) return;
        const made = withSections(text, sections);
        for (const { name, why } of made.broken) {
          expect(why).not.toBe("");
          expect(made.text).toContain(name);
        }
        if (made.broken.length === sections.length) expect(made.text).toBe(text);
        // Every word of people's outside of a whole pair is still there.
        expect(outside(made.text).split("more").length).toBe(outside(text).split("more").length);
        expect(withSections(made.text, sections).text).toBe(made.text);
      }),
    );
    const [, end] = [beginMarker("blockers"), endMarker("blockers")];
    expect(withSections(`mine\n${end}`, sections)).toEqual({
      text: `mine\n${end}`,
      broken: [{ name: "blockers", why: "its begin marker is gone" }],
    });
  });

  it("whose markers somebody took out stay out", () => {
    const text = `${beginMarker("blockers")}\n${endMarker("blockers")}\n`;
    expect(withSections(text, sections).text).not.toContain("new status");
  });
});

const task = (id: string, more: Partial<BoardTask> = {}): BoardTask => ({
  id,
  title: `Do ${id}`,
  agent: "FeatureBuilder",
  assigned_to: "claude",
  status: "pending",
  dependencies: [],
  priority: "P1",
  run: "run_a",
  attempts: 0,
  stage: null,
  result: null,
  place: 0,
  ready: false,
  ...more,
});
const run: BoardRun = {
  run_id: "run_abcd",
  request: "Track certifications",
  status: "in_progress",
  reason: "",
  over: false,
  started_at: "2026-01-09T14:00:00Z",
  updated_at: "2026-01-09T15:30:00Z",
  tasks: [
    task("TASK-023-001", { adr: "ADR-023", status: "completed", result: "verdict PASS: nothing is worse" }),
    task("TASK-023-002", { adr: "ADR-023", status: "in_progress", stage: "attempt", attempts: 1 }),
    task("TASK-023-003", { adr: "ADR-023", place: 2 }),
    task("TASK-023-004", { adr: "ADR-023", place: 1, ready: true }),
  ],
  blockers: [{ task: "TASK-023-009", reason: "verdict BLOCKED", details: "no database | <!-- here" }],
  decisions: [{ at: "2026-01-09T14:00:01Z", by: "coordinator", said: "ADR-023 approved: 4 tasks queued" }],
  sessions: [
    {
      from: 4,
      to: 20,
      started_at: "2026-01-09T14:00:00Z",
      last_at: "2026-01-09T15:05:00Z",
      completed: ["TASK-023-001"],
    },
  ],
};
const hq: ProjectHq = {
  project: "credentialmate",
  updated_at: "2026-01-09T15:30:00Z",
  updated_by: "coordinator",
  runs: [run],
  handoffs: [{ id: "2026-01-09-001", path: "sessions/2026-01-09-001.md", run_id: "run_abcd", summary: "1 completed" }],
};
const sectionOf = (name: string, of: ProjectHq = hq) =>
  boardSections(of).find((each) => each.name === name)?.text ?? "";

describe("PROJECT_HQ.md", () => {
  it("has the six sections, when it was updated last and by whom [S3-043]", () => {
    const { text } = withSections(newBoard("credentialmate"), boardSections(hq));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      "Status Dashboard",
      "Current Focus",
      "Roadmap",
      "Recent Decisions",
      "Blockers",
      "Session History",
    ]);
    expect(text).toContain("**Last updated**: 2026-01-09T15:30:00Z by coordinator");
  });

  it("shows new tasks, what is in progress, what was decided, what blocks and which session ended", () => {
    const dashboard = sectionOf("status-dashboard");
    expect(dashboard).toContain("| TASK-023-003 | Do TASK-023-003 | ADR-023 | FeatureBuilder | P1 | queued |");
    expect(dashboard).toContain("| completed | verdict PASS: nothing is worse |");
    expect(sectionOf("current-focus")).toContain("**TASK-023-002**");
    expect(sectionOf("roadmap")).toContain("- [ ] ADR-023: 1 of 4 tasks done, next TASK-023-004");
    expect(sectionOf("recent-decisions")).toContain("ADR-023 approved: 4 tasks queued (coordinator, run_abcd)");
    expect(sectionOf("session-history")).toContain("Session ended: [2026-01-09-001](sessions/2026-01-09-001.md)");
  });

  it("shows a blocker with its task, reason and evidence, and lets nothing foreign pass for a marker", () => {
    expect(sectionOf("blockers")).toContain(
      "| TASK-023-009 | verdict BLOCKED | no database \\| &lt;!-- here | run_abcd |",
    );
    const evil = task("X", { title: endMarker("status-dashboard") });
    const { text } = withSections("", boardSections({ ...hq, runs: [{ ...run, tasks: [evil] }] }));
    expect(text.split(endMarker("status-dashboard"))).toHaveLength(2);
  });
});

describe("a handoff", () => {
  it("is the specification's template, filled [S3-051, S3-052, S3-053, S3-054, S3-055, S3-056, S3-057, S3-058]", () => {
    const text = renderHandoff({
      id: "2026-01-09-001",
      project: "credentialmate",
      created_at: "2026-01-09T15:30:00Z",
      run,
      session: run.sessions[0] as BoardRun["sessions"][number],
      files: [
        { path: "src/a|b.ts", added: 12, removed: 3, agent: "FeatureBuilder" },
        { path: "logo.png", added: null, removed: null, agent: "FeatureBuilder" },
      ],
      adrs: [{ label: "ADR-023", path: "../docs/adr/0023-certifications.md" }],
      notes: ["Something to know"],
    });
    expect(text).toBe(`# Session Handoff: 2026-01-09-001

**Project**: credentialmate
**Created**: 2026-01-09T15:30:00Z
**Created By**: Coordinator

## Session Summary

**Duration**: 1 hour 5 minutes
**Tasks Completed**: 1
**Tasks In Progress**: 1
**Blockers**: 1

## Completed This Session

| Task | Description | Agent |
| --- | --- | --- |
| TASK-023-001 | Do TASK-023-001 | FeatureBuilder (claude) |

## Still In Progress

| Task | Status | Notes |
| --- | --- | --- |
| TASK-023-002 | attempt 1: attempt | Do TASK-023-002 (claude) |

## Blocked (Need Human)

| Task | Blocker | Details |
| --- | --- | --- |
| TASK-023-009 | verdict BLOCKED | no database \\| &lt;!-- here |

## Next Session Should

1. TASK-023-004 (P1): Do TASK-023-004
2. TASK-023-003 (P1), when what it builds on is done: Do TASK-023-003
3. Continue from TASK-023-002: attempt
4. Answer what waits on people: \`coordinator inbox\`
5. Go on: \`coordinator run --resume run_abcd\`

## Files Changed

| File | +/- | Agent |
| --- | --- | --- |
| src/a\\|b.ts | +12/-3 | FeatureBuilder |
| logo.png | binary | FeatureBuilder |

## ADRs Referenced

- [ADR-023](../docs/adr/0023-certifications.md)

## Notes

- Something to know
`);
  });
});
