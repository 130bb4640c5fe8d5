import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { serverFolder } from "../../src/app/serve/access-tokens.js";
import { ensureBuilt } from "../build.js";
import { type Asked, asked } from "../e2e/asked.js";
import { PROGRAM } from "../e2e/project.js";
import { ASK, submitted } from "../server/desk.js";
import { serve, type Served, until } from "../server/served.js";
import { endWithFile, hasBrowser, openAs, openBrowser, tabTo } from "./browser.js";

const RECORD = `# ADR-001: Reports\n\n## Status\n\nAccepted\n\n## Context\n\nPeople want reports.\n\n## Implementation Notes\n\n- ${ASK}\n`;
const atEnd = endWithFile();
let project: Asked;
let served: Served;

/** One project and one server for the whole file; each test leaves nothing in the inbox. */
beforeAll(async () => {
  ensureBuilt();
  project = asked(
    {
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "README.md": "# Reports\n",
      "src/reports.mjs": "export const reports = [];\n",
      "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
      "docs/adr/0001-reports.md": RECORD,
      "docs/adr/0002-later.md": RECORD.replace("ADR-001", "ADR-002").replace("Accepted", "Proposed"),
      ".gitignore": ".coordinator/\n",
    },
    [{ title: ASK, writes: { "README.md": "# Reports, documented\n" } }],
    { atEnd },
  );
  served = await serve(project, { atEnd });
});

/** The program at a terminal, without holding up the browsers beside it. */
function callBeside(...args: string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: project.cwd, env: project.env });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.once("exit", (code) => resolve({ code, said }));
  });
}

const openEntries = async () => (await served.ask("/inbox")).json.open as number;
const emptied = () => until(async () => (await openEntries()) === 0);

/** Everything the page would hear by itself is kept from it, so that it decides what is decided already. */
const keepInTheDark = (page: Page) => page.route("**/api/v1/inbox", (route) => route.abort());

describe.skipIf(!hasBrowser)(`deciding in the browser${hasBrowser ? "" : " (left out: there is no chromium)"}`, () => {
  it("takes a request by a decision record, and says which record cannot be carried out and why", async () => {
    const { page, errors } = await openAs(served);
    await page.getByRole("link", { name: "New request" }).click();
    await page.getByLabel("a decision record (ADR)").check();
    await page.getByText("Cannot be carried out:").waitFor();
    expect(await page.getByRole("radio", { name: /0002-later/ }).isDisabled()).toBe(true);
    await page.getByRole("radio", { name: /0001-reports/ }).check();
    await page.getByRole("button", { name: "Plan it" }).click();
    await page.getByRole("link", { name: "Open the run and read its plan" }).click();
    await page.getByText("Not approved yet.").waitFor();
    await page.getByLabel("Reason to reject").fill("Only tried");
    await page.getByRole("button", { name: "Reject" }).click();
    await emptied();
    expect(errors).toEqual([]);
  }, 240_000);

  it("decides several entries at once, and says which one somebody else had decided before", async () => {
    const first = await submitted(served);
    const second = await submitted(served);
    const { page, errors } = await openAs(served);
    await page.getByText("May the plan of 1 task be carried out?").nth(1).waitFor();
    await keepInTheDark(page);
    const early = await callBeside("reject", first.entry, "--reason", "too early", "--run", first.run);
    expect(early.code, early.said).toBe(0);
    await page.getByRole("button", { name: "Select all", exact: true }).click();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("group", { name: "Decide several at once" }).getByLabel("Reason to reject").fill("Not now");
    await page.getByRole("button", { name: "Reject 2" }).click();
    await page.getByText("✓ 1 entry decided; ✕ 1 not decided:").waitFor();
    await page.getByText(/decided by ada already/).waitFor();
    await emptied();
    const runs = (await served.ask(`/projects/${second.project}/runs`)).json.runs as {
      run_id: string;
      status: string;
    }[];
    expect(runs.find(({ run_id }) => run_id === second.run)?.status).toBe("failed");
    expect(errors).toEqual([]);
  }, 240_000);

  it("takes one of three decisions made at once in two browsers and a terminal, and tells the others", async () => {
    const { run, entry } = await submitted(served);
    const browsers = [await openAs(served), await openAs(served)];
    for (const [index, { page }] of browsers.entries()) {
      await page.getByLabel("Reason to reject").fill(`Not now, says browser ${index}`);
      await keepInTheDark(page);
    }
    const [cli] = await Promise.all([
      callBeside("reject", entry, "--reason", "Not now, says the terminal", "--run", run),
      ...browsers.map(({ page }) => page.getByRole("button", { name: "Reject" }).click()),
    ]);
    const outcomes = await Promise.all(
      browsers.map(async ({ page }) => {
        const card = page.getByRole("article");
        const told = card.getByRole("status").or(card.getByRole("alert"));
        return (await told.first().textContent()) ?? "";
      }),
    );
    const won = outcomes.filter((text) => text.includes("Decided.")).length + (cli.code === 0 ? 1 : 0);
    expect(won, `${outcomes.join(" | ")} | ${cli.code} ${cli.said}`).toBe(1);
    const told = [...outcomes, cli.said].filter((text) => text.includes("already")).length;
    expect(told, `${outcomes.join(" | ")} | ${cli.said}`).toBe(2);
    await emptied();
  }, 240_000);

  it("is done by keyboard alone: the plan is read, a task is opened in the graph, the plan is rejected", async () => {
    await submitted(served);
    const { page, errors } = await openAs(served);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await tabTo(page, "To the content");
    await page.keyboard.press("Enter");
    // Behind the skip link comes the first entry, and not the menu again.
    await tabTo(page, "Read the plan");
    await page.keyboard.press("Enter");
    await page.getByText("Not approved yet.").waitFor();
    await tabTo(page, "Graph");
    await page.keyboard.press("Enter");
    await page.getByText("Lanes by agent").waitFor();
    await tabTo(page, new RegExp(`${ASK}.*pending`));
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").getByText("No agent has worked on it yet.").waitFor();
    await page.getByLabel("Reason to reject").focus();
    await page.keyboard.type("Not now");
    await tabTo(page, /^Reject/);
    await page.keyboard.press("Space");
    await emptied();
    expect(errors).toEqual([]);
  }, 240_000);

  it("shows a reader everything and lets them decide nothing; refuses a wrong, an expired and a revoked token", async () => {
    const { page: own } = await openAs(served);
    await submitted(served);
    const { page } = await openBrowser();
    const logIn = async (secret: string) => {
      await page.getByLabel("Token").fill(secret);
      await page.getByRole("button", { name: "Log in" }).click();
    };
    const tokenOf = (name: string, ...more: string[]) => {
      const added = project.call("--json", "token", "add", name, "--role", "reader", ...more);
      return /cot_[\w-]+/.exec(added.stdout)?.[0] ?? "";
    };
    await page.goto(served.url);
    await logIn("cot_wrong_token");
    await page.getByRole("alert").filter({ hasText: "the token is unknown" }).waitFor();

    const late = tokenOf("late", "--days", "1");
    expire("late");
    await logIn(late);
    await page.getByRole("alert").filter({ hasText: "has expired" }).waitFor();

    await logIn(tokenOf("grace"));
    await page.getByText("an approver decides it").waitFor();
    expect(await page.getByRole("button", { name: /Approve|Reject/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "New request" }).count()).toBe(0);
    // The next thing that is read says that the token counts no longer.
    project.call("token", "revoke", "grace");
    await page.getByRole("link", { name: "Figures" }).click();
    await page.getByRole("alert").filter({ hasText: "You were logged out" }).waitFor();
    await page.getByLabel("Token").waitFor();

    await own.getByLabel("Reason to reject").fill("Not now");
    await own.getByRole("button", { name: "Reject" }).click();
    await emptied();
  }, 240_000);

  /** As if its days were over. */
  function expire(name: string): void {
    const file = join(serverFolder(project.env), "tokens.json");
    const kept = JSON.parse(readFileSync(file, "utf8")) as { tokens: { name: string; expires_at: string | null }[] };
    const tokens = kept.tokens.map((token) =>
      token.name === name ? { ...token, expires_at: "2020-01-01T00:00:00Z" } : token,
    );
    writeFileSync(file, JSON.stringify({ ...kept, tokens }));
  }
});
