import { spawnSync } from "node:child_process";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import type { Served } from "../server/served.js";

/* The dashboard in a real browser, as a person sees it. */

const found = spawnSync("sh", ["-c", "command -v chromium || command -v chromium-browser"], { encoding: "utf8" });
const CHROMIUM = found.stdout.trim();

/** Whether there is a browser; `npm run check` installs it where it can. */
export const hasBrowser = CHROMIUM !== "";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page reported as an error, without refused requests, which tests look at themselves. */
  readonly errors: readonly string[];
}

interface Look {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

let browser: Promise<Browser> | null = null;
afterAll(async () => {
  await (await browser)?.close();
  browser = null;
});

/**
 * A browser of a person of their own: one program for the whole file, with cookies and memory apart.
 *
 * Contract: the page asks nothing of any other host.
 */
export async function openBrowser({ width = 1280, scheme = "light" }: Look = {}): Promise<OpenedPage> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  const viewport = { width, height: 900 };
  const context = await (await browser).newContext({ viewport, colorScheme: scheme, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1[:/]|data:|blob:)/.test(request.url())) errors.push(`asked ${request.url()}`);
  });
  return { page, context, errors };
}

/** Open the one-time link that the server printed. */
export async function openDashboard(served: Served, code: string, options = {}): Promise<OpenedPage> {
  const opened = await openBrowser(options);
  await opened.page.goto(`${served.url}/#login=${code}`);
  await opened.page.getByRole("heading", { name: "Needs you" }).waitFor();
  // A code that stays in the address would stay in the history.
  expect(opened.page.url()).not.toContain("login=");
  return opened;
}

/** The browser is that of the person who started the server. */
export async function addCookie(context: BrowserContext, { cookie, url }: Served): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url }]);
}

/** The first page, in a browser of the person who started the server. */
export async function openAs(served: Served): Promise<OpenedPage> {
  const opened = await openBrowser();
  await addCookie(opened.context, served);
  await opened.page.goto(served.url);
  await opened.page.getByRole("heading", { name: "Needs you" }).waitFor();
  return opened;
}

/** What axe finds serious or critical on the page, in a line each; by all its rules, or by these alone. */
export async function seriousFaults(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Evaluated by the debugging protocol: the page itself allows no inline script.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    // oxlint-disable-next-line typescript/no-explicit-any -- axe was put into the page as text
    const { violations } = await (globalThis as any).axe.run({
      resultTypes: ["violations"],
      ...(only.length === 0 ? {} : { runOnly: only }),
    });
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }: { id: string; nodes: { target: string[]; failureSummary: string }[] }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary}`).join(" | ")}`,
      ) as string[];
  }, rules);
}

/** What a whole file shares is ended when the file is over, the newest first. */
export function endWithFile(): (act: () => unknown) => void {
  const acts: (() => unknown)[] = [];
  afterAll(async () => {
    for (const act of acts.toReversed()) await act();
  });
  return (act) => void acts.push(act);
}

/** What the keyboard is at. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()",
  );

/** Goes on with Tab as somebody without a mouse does, and gives up where a person would. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    seen.push(now);
    if (typeof name === "string" ? now === name : name.test(now)) return;
  }
  throw new Error(`Tab does not reach ${String(name)}: ${seen.join(" | ")}`);
}
