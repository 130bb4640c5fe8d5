import { describe, expect, it } from "vitest";
import { parseAdr } from "./parse-adr.js";

const TITLE = "# ADR-0007: Use one queue\n\n";
const REST = "\n\n## Context\n\nThe draft was open to review.\n\n## Decision\n\nUse it.\n";

describe("where a status stands", () => {
  it.each([
    ["under the title, before a day", `${TITLE}Accepted, 2026-08-06.`, "accepted"],
    ["beside a day", `${TITLE}2026-08-06 · Accepted`, "accepted"],
    ["behind a dash", `${TITLE}Status - Accepted`, "accepted"],
    ["behind a bar", `${TITLE}**Status** | Accepted`, "accepted"],
    ["with its day at the name", `${TITLE}Status (2024-05-01): Accepted`, "accepted"],
    ["in a sentence", `${TITLE}The status of this ADR is accepted.`, "accepted"],
    ["in a table of tags", `${TITLE}<table><tr><td>Status</td><td>Accepted</td></tr></table>`, "accepted"],
    [
      "in a history",
      `${TITLE}## Status history\n\n| Date | State |\n|---|---|\n| 1 Feb 2023 | Accepted |\n| 1 Jan 2023 | Proposed |`,
      "accepted",
    ],
    ["in a badge of its own", `${TITLE}![](https://img.shields.io/badge/Accepted-brightgreen)`, "accepted"],
    ["in a preamble", `${TITLE}\`\`\`\nStatus: Withdrawn\nDate: 2024-01-01\n\`\`\``, "rejected"],
    ["one level into the front matter", `---\nadr:\n  status: accepted\n---\n${TITLE}`, "accepted"],
    ["in the title", "# ADR-0007: Use one queue (Superseded)", "superseded"],
    ["before the title", "# [DEPRECATED] ADR-0007: Use one queue", "deprecated"],
    [
      "over an older line",
      `${TITLE}> This ADR has been superseded by [ADR-12](0012-x.md).\n\n## Status\n\nAccepted`,
      "superseded",
    ],
    ["nowhere: an example", `${TITLE}Put this on top:\n\n\`\`\`\nStatus: Accepted\nDate: today\n\`\`\``, null],
    ["nowhere: another thing's", `---\nimplementation:\n  status: done\n---\n${TITLE}`, null],
    ["nowhere: prose", `${TITLE}This decision is about a draft that others wrote.`, null],
    ["nowhere: a template", `${TITLE}Status: [proposed | accepted]`, null],
    ["nowhere, and nothing replaced it", `${TITLE}Remplacée par : Aucune`, null],
  ])("is found %s", (_, text, status) => {
    expect(parseAdr(text + REST, "docs/adr/0007-one-queue.md").status).toBe(status);
  });

  it.each([
    ["docs/adr/move-to-http2.md", null],
    ["docs/adr/use-java-21.md", null],
    ["docs/adr/adr007.md", "7"],
    ["docs/adr/adr-21-java.md", "21"],
    ["docs/adr/frontend-001.md", "1"],
  ])("takes no digits of what a record is about for its number: %s", (file, id) => {
    expect(parseAdr(`# Use one queue${REST}`, file).id).toBe(id);
  });
});
