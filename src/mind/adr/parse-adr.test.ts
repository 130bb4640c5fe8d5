import { describe, expect, it } from "vitest";
import { parseAdr } from "./parse-adr.js";

const read = (text: string, file = "docs/adr/0007-keep-sessions-short.md") => parseAdr(text, file);

describe("parseAdr", () => {
  it("reads Nygard's plain form [S3-010]", () => {
    const adr = read(
      [
        "# 7. Keep sessions short",
        "Date: 2024-03-01",
        "## Status",
        "Accepted",
        "## Context",
        "Sessions live for ever. See [ADR 3](0003-logins.md) and ADR-0004.",
        "## Decision",
        "We will end them.",
        "## Consequences",
        "- People log in again",
        "  - twice a day",
        "- Fewer stolen sessions",
      ].join("\n\n"),
    );
    expect(adr).toMatchObject({
      id: "7",
      label: "ADR-0007",
      title: "Keep sessions short",
      status: "accepted",
      supersededBy: null,
      related: ["3", "4"],
      diagnostics: [],
    });
    expect(adr.consequences.map(({ text }) => text)).toEqual(["People log in again", "Fewer stolen sessions"]);
  });

  it.each([
    ["in a list of definitions", "Status\n: Accepted\n\nDate\n: 2024-01-01", "accepted"],
    ["behind a picture", "📅 Fecha: 2025-11-17  \n📁 Estado: Aprobado", "accepted"],
    ["under another name", "## Estatus\n\nAceptado", "accepted"],
    ["without a name", "~~Accepted~~ Superseded by [9. X](0009-x.md) on 2025-05-05", "superseded"],
    ["without a name and with a day", "**Accepted** (2024-05-01)", "accepted"],
    ["as the beginning of a sentence", "Accepted practice is to sign.", null],
    ["as what the record is about", "Rejected cards are tried again, three times.", null],
  ])("reads a status that is stated %s", (_, lines, status) => {
    expect(read(`# 7. Keep sessions short\n\n${lines}\n\n## Decision\n\nYes.`).status).toBe(status);
  });

  it("reads front matter with comments in it", () => {
    const commented = "---\n# These are optional. Remove what you like.\nstatus: accepted\ndate: 2025-01-02\n---\n";
    expect(read(`${commented}\n# Use one queue\n\n## Decision\n\nYes.`)).toMatchObject({
      title: "Use one queue",
      status: "accepted",
    });
    const titled =
      "---\nid: adr007\ntitle: 'ADR007: Use one queue'\n# ignore-the-next-line\ndescription: A record\n---\n\n## Context\n";
    expect(read(titled)).toMatchObject({ id: "7", title: "Use one queue", status: null });
    expect(read(`${commented}\n## Context\n\nText.`).title).toBe("keep-sessions-short");
    expect(read("---\n# Use one queue\n\nstatus: accepted\n---\n\n## Context\n").title).toBe("Use one queue");
  });

  it.each([
    ["CLI-002: One command", "docs/decisions/cli/CLI-002-one-command.md", "CLI-002", "One command"],
    ["KEP-753: One command", "keps/753-one-command/README.md", "753", "One command"],
    ["ADR WEB 0014. One command", "doc/adr/WEB-0014-one-command.md", "WEB-0014", "One command"],
    ["Arctic 001: One command", "docs/arctic-001.md", "1", "One command"],
    ["UTF-8: One encoding", "docs/adr/0007-one-encoding.md", "7", "UTF-8: One encoding"],
    ["ADR-0007 · One command {#one}", "docs/adr/0007.md", "7", "One command"],
    ["Architecture Decision Record", "docs/adr/0007-one-command.md", "7", "one-command"],
    ["**ADR_007-02**: One command", "docs/adr/adr_007-02_one.md", "7-02", "One command"],
    ["ADR-20250514-One command", "docs/ADR-20250514-one-command.md", "20250514-one-command", "One command"],
    ["ADR 2025-05-14: One command", "docs/adr-2025-05-14-one.md", "2025-05-14-one", "One command"],
  ])("reads the heading %j of %s as %s, %s", (heading, file, id, title) => {
    expect(read(`# ${heading}\n\n## Decision\n\nYes.`, file)).toMatchObject({ id, title });
  });

  it("finds a title that does not stand in the first heading", () => {
    expect(read("# Meta\n- Name: Use one queue\n- Status: Accepted\n\n## Summary\n")).toMatchObject({
      title: "Use one queue",
      status: "accepted",
    });
    expect(read("# Architecture Decision Record\n\n## Title\n\nUse one queue\n\n## Status\n\nAccepted").title).toBe(
      "Use one queue",
    );
    expect(read("# ADR 7\n\n## Use one queue\n\n## Status\n\nAccepted").title).toBe("Use one queue");
  });

  it.each([
    ["## Status: Accepted (2024-01-01)"],
    ["**Status** Accepted"],
    ["**Status**\nAccepted"],
    ["![Status: Accepted](https://example.org/x.svg)"],
    ["#+status: accepted"],
    ["Date: 2024-01-01 · Status: accepted · Owner: us"],
  ])("reads the status in %j", (line) => {
    expect(read(`# Use one queue\n\n${line}\n\n## Context\n\nText.`).status).toBe("accepted");
  });

  it("reads MADR with front matter, and its good and bad consequences [S3-010]", () => {
    const adr = read(
      `---
status: "accepted"
date: 2025-01-02
decision-makers: [Ada, Grace]
---
# Use one queue

## Context and Problem Statement

Which?

## Considered Options

* One queue
* Many queues

## Decision Outcome

Chosen option: "One queue", because it is simple.

### Consequences

* Good, because there is one place to look
* Bad, because it can be full

## Pros and Cons of the Options

### One queue

* Good, because simple
`,
      "docs/decisions/0012-use-one-queue.md",
    );
    expect(adr).toMatchObject({ id: "12", title: "Use one queue", status: "accepted" });
    expect(adr.consequences).toEqual([
      { text: "Good, because there is one place to look", effect: "positive" },
      { text: "Bad, because it can be full", effect: "negative" },
    ]);
  });

  it("reads an old MADR: status in a list on top, consequences in two sections", () => {
    const adr = read(`# Cache in memory

* Status: superseded by [ADR-0031](0031-cache-in-redis.md)
* Deciders: Ada

## Decision Outcome

Chosen option: "Cache in memory".

### Positive Consequences

* quick

### Negative Consequences

* lost at every start
`);
    expect(adr).toMatchObject({ status: "superseded", supersededBy: "31", related: [] });
    expect(adr.consequences.map(({ effect }) => effect)).toEqual(["positive", "negative"]);
  });

  it("reads an RFC that begins with its metadata and has no title of its own", () => {
    const adr = read(
      "- Start Date: 2023-01-01\n- RFC Status: draft\n\n# Summary\n\nMake it so.\n\n# Motivation\n\nBecause.\n",
      "text/0119-shared-cache.md",
    );
    expect(adr).toMatchObject({ id: "119", title: "shared-cache", status: "proposed" });
  });

  it("reads a table of metadata", () => {
    const across = "# ADR 9 - Sign releases\n\n| Status | Date |\n|---|---|\n| Approved | 2024-01-01 |\n";
    const down = "# ADR 9 - Sign releases\n\n| Field | Value |\n|---|---|\n| **Status** | ❌ Rejected |\n";
    expect(read(across, "x.md")).toMatchObject({ id: "9", title: "Sign releases", status: "accepted" });
    expect(read(down, "x.md")).toMatchObject({ status: "rejected" });
  });

  it.each([
    ["bold with the colon inside", "**Status:** Accepted", "accepted"],
    ["bold with the colon outside", "**Status**: Proposed", "proposed"],
    ["several on a line", "**Date:** 2024-01-01 | **Status:** Deprecated | **Owner:** Ada", "deprecated"],
    ["in a quotation", "> Status: Accepted", "accepted"],
    ["a badge", "![](https://img.shields.io/badge/status-accepted-green)", "accepted"],
    ["replaced on a day", "Superseded: 2019-12-19 by [ADR 14](0014-new.md)", "superseded"],
  ])("reads a status that is %s", (_, line, status) => {
    expect(read(`# Sign releases\n\n${line}\n\n## Decision\n\nYes.\n`).status).toBe(status);
  });

  it("takes a dash for no status, and a heading out of place for what it says", () => {
    expect(read("- RFC Status: -\n\n# Summary\n\nX\n\n# RFC Status\n\nactive: in use\n").status).toBeNull();
    expect(read("# 13. Add a queue\n\n# Date\n\n2021-02-13\n\n## Status\n\nAccepted\n").status).toBe("accepted");
  });

  it.each([
    ["English", "Status", "Accepted", "Consequences"],
    ["French", "État", "Accepté", "Conséquences"],
    ["French, feminine", "Statut", "Acceptée", "Conséquences"],
    ["German", "Status", "Angenommen", "Auswirkungen"],
    ["German, other words", "Status", "Beschlossen", "Konsequenzen"],
    ["Spanish", "Estado", "Aceptada", "Consecuencias"],
    ["Portuguese", "Situação", "Aprovado", "Consequências"],
    ["Italian", "Stato", "Accettato", "Conseguenze"],
    ["Dutch", "Status", "Geaccepteerd", "Gevolgen"],
    ["Chinese", "状态", "已接受", "后果"],
    ["Japanese", "ステータス", "承認済み", "影響"],
    ["Chinese with English", "状态 (Status)", "已采纳", "影响 / Consequences"],
  ])("reads headings in %s", (_, status, accepted, consequences) => {
    const adr = read(`# 7. X y\n\n## ${status}\n\n${accepted}\n\n## ${consequences}\n\n- eins\n- 二\n`);
    expect(adr.status).toBe("accepted");
    expect(adr.consequences).toHaveLength(2);
  });

  it("reads underlined headings, numbered headings and tight ones", () => {
    const adr = read(
      "Sign releases\n=============\n\nStatus\n------\n\nAccepted\n\n##3. Consequences\n\n- more work\n",
    );
    expect(adr).toMatchObject({ title: "Sign releases", status: "accepted" });
    expect(read("#Sign releases\n\n## 1. Status\n\nRejected\n").status).toBe("rejected");
    expect(read("# Sign\n\n## 3. Consequences:\n\n- more\n").consequences).toHaveLength(1);
  });

  it("does not read examples and comments", () => {
    const fenced =
      "# Use records\n\n```markdown\n# 1. Example\n\n## Status\n\nAccepted\n```\n\n## Status\n\nProposed\n";
    expect(read(fenced)).toMatchObject({ title: "Use records", status: "proposed" });
    expect(read("# Use records\n\n~~~\nStatus: Accepted\n~~~\n")).toMatchObject({ status: null });
    expect(read("# Use records\n\n<!-- Status: Accepted\n\nADR-9 -->\n")).toMatchObject({ status: null, related: [] });
    expect(read("# A `<!--` mark\n\nStatus: Accepted\n").status).toBe("accepted");
  });

  it.each([
    ["# 5. Sign releases", "any.md", "5", "Sign releases"],
    ["# ADR-023: Sign releases", "any.md", "23", "Sign releases"],
    ["# ADR 0007 - Sign releases", "any.md", "7", "Sign releases"],
    ["# ADR 8 — Sign releases", "any.md", "8", "Sign releases"],
    ["# [ADR-11] Sign releases", "any.md", "11", "Sign releases"],
    ["# RFC 12: Sign releases", "any.md", "12", "Sign releases"],
    ["# ADR SHOP-1074 Sign releases", "adr/0019-sign.md", "19", "ADR SHOP-1074 Sign releases"],
    ["# Release Context", "adr/0019-sign.md", "19", "Release Context"],
    ["# ADR: Sign releases", "adr/0019-sign.md", "19", "Sign releases"],
    ["# Sign 3 releases", "adr/0019-sign.md", "19", "Sign 3 releases"],
    ["# 3 releases a day", "adr/0019-sign.md", "19", "3 releases a day"],
    ["# Sign releases", "adr/adr-024-sign.md", "24", "Sign releases"],
    ["# Sign releases", "adr/AD0003-sign.md", "3", "Sign releases"],
    ["# Sign releases", "adr/002.Sign.md", "2", "Sign releases"],
    ["# Sign `main` only", "records/2026-06-10-sign-main/README.md", "2026-06-10-sign-main", "Sign `main` only"],
    ["# Sign releases", "records/SHOP-ADR-Web-0007-sign.md", "SHOP-ADR-Web-0007", "Sign releases"],
    ["# Sign releases", "decisions/sign-releases.md", null, "Sign releases"],
  ])("calls %s in %s by its number", (heading, file, id, title) => {
    expect(read(`${heading}\n\n## Status\n\nAccepted\n`, file)).toMatchObject({ id, title });
  });

  it("calls a record without a number by its file where it is cited", () => {
    expect(read("# Sign releases\n", "decisions/Sign_releases.md").label).toBe("ADR-sign-releases");
    expect(read("# Sign\n", "records/SHOP-ADR-Web-0007-sign.md").label).toBe("SHOP-ADR-Web-0007");
  });

  it("takes number and title from front matter where nothing else has them", () => {
    const adr = read("---\nid: ADR-0042\ntitle: Sign releases\nstatus: Accepted\n---\n\n## Context\n\nX\n", "sign.md");
    expect(read("---\ntitle: Sign all\n---\n\n## Question\n\nWhich?\n", "x.md").title).toBe("Sign all");
    expect(adr).toMatchObject({ id: "42", label: "ADR-0042", title: "Sign releases", status: "accepted" });
  });

  it("is not stopped by front matter that is no YAML", () => {
    const adr = read("---\ntag:Web Client\n  : [\n---\n\n# 5. Unit tests\n\n## Status\n\nDeprecated\n");
    expect(adr).toMatchObject({ title: "Unit tests", status: "deprecated" });
  });

  it("finds who replaced whom, both ways", () => {
    const old = read("# 3. A b\n\n## Status\n\nAccepted\n\nSuperseded by [9. C d](0009-c-d.md)\n", "adr/0003-a-b.md");
    expect(old).toMatchObject({ status: "superseded", supersededBy: "9", related: [] });
    const next = read("# 9. C d\n\n## Status\n\nAccepted\n\nSupersedes [3. A b](0003-a-b.md)\n", "adr/0009-c-d.md");
    expect(next).toMatchObject({ status: "accepted", supersededBy: null, supersedes: ["3"], related: ["3"] });
    const named = read("---\nstatus: superseded\nsuperseded_by: 0014-new-way\n---\n# 3. A b\n");
    expect(named).toMatchObject({ supersededBy: "14" });
  });

  it.each([
    ["German", "Ersetzt durch [ADR-14](0014-neu.md)"],
    ["French", "Remplacé par ADR-14"],
    ["Spanish", "Reemplazada por ADR-14"],
    ["Portuguese", "Substituído por ADR-14"],
    ["Italian", "Sostituito da ADR-14"],
    ["Dutch", "Vervangen door ADR-14"],
    ["Chinese", "已被 ADR-14 取代"],
    ["Japanese", "ADR-14 により置き換え"],
  ])("finds the successor in %s", (_, status) => {
    expect(read(`# 3. A b\n\n## Status\n\n${status}\n`)).toMatchObject({ status: "superseded", supersededBy: "14" });
  });

  it("is not related to itself, to addresses elsewhere or to numbers", () => {
    const text =
      "See ADR-7, [issue 12](https://example.org/issues/12), [12](https://example.org/0012-x.md) and PR #34.";
    expect(read(`# 7. A b\n\n## Context\n\n${text}\n`).related).toEqual([]);
    expect(read("# 7. A b\n\n## Links\n\n- [[0003-other-thing]]\n- [here](../adr/0011-x.md#why)\n").related).toEqual([
      "3",
      "11",
    ]);
  });

  it("takes RFCs for another series, unless it is one", () => {
    const text = "# X y\n\n## Context\n\nSee RFC-018, ADR-4 and superseded-by-ADR-6.\n";
    expect(read(text, "adr/0003-x.md").related).toEqual(["4"]);
    expect(read(text, "rfcs/0003-x.md").related).toEqual(["18"]);
  });

  it("says what is missing, with the place and a way to mend it", () => {
    const codes = (text: string, file?: string) => read(text, file).diagnostics.map(({ code }) => code);
    expect(codes("# A b\n\n## Decision\n\nYes\n")).toEqual(["ADR_STATUS_MISSING"]);
    expect(codes("# A b\n\n## Status\n\nperhaps\n\n## Decision\n\nYes\n")).toEqual(["ADR_STATUS_UNKNOWN"]);
    expect(codes("", "")).toEqual(["ADR_TITLE_MISSING", "ADR_STATUS_MISSING", "ADR_DECISION_MISSING"]);
    expect(read("# A b\n\n## Status\n\nperhaps\n").diagnostics[0]).toMatchObject({ line: 3, fix: expect.any(String) });
  });
});
