// The dashboard in Chromium, of a run of 1,000 tasks on a real server: how long frames take while somebody scrolls, pans, zooms
// and opens groups, how much the first page is, and how soon it can be used. Prints one JSON document.
//   node bench/dashboard.mjs [tasks]
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { openRuns } from "../dist/app/project/open-runs.js";
import { stateFolder } from "../dist/app/project/state-folder.js";
import { carryOut } from "../dist/hands/engine/carry-out.js";
import { amounts, opening } from "./opening.mjs";

const [tasks = 1000] = process.argv.slice(2).map(Number);
const RUN = "run_20261118-000000-000000";
const folder = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const project = join(folder, "project");
const environment = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1" };
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Six of ten tasks are done; ten ask a question, and the rest builds on them. Nobody works on the run meanwhile. */
async function makeRun() {
  execFileSync("git", ["init", "-q", "-b", "main", project], { env: environment });
  const person = ["-c", "user.name=ada", "-c", "user.email=ada@localhost"];
  execFileSync("git", [...person, "commit", "-q", "--allow-empty", "-m", "Begin"], { cwd: project, env: environment });
  const asking = (id) => Math.floor(Number(id.slice(1)) / 10) === Math.floor((tasks * 0.6) / 10);
  const used = { amounts, source: "reported" };
  const runner = {
    run: async (_run, { kind, task_id, attempt }) => {
      const done = asking(task_id)
        ? { kind: "clarification", question: `Which way for ${task_id}?` }
        : { kind: "completed", output_ref: "refs/coord/result" };
      if (kind === "start_attempt") return { type: "attempt_finished", task_id, attempt, outcome: done, usage: used };
      if (kind === "verify") return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
      if (kind === "integrate")
        return { type: "integration_finished", task_id, attempt, integrated: true, ref: "refs/coord/run" };
      return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
    },
  };
  const clock = { now: () => new Date().toISOString(), elapsedMs: () => performance.now(), wait: (ms) => sleep(ms) };
  const store = await openRuns(stateFolder(project));
  const run = await carryOut(RUN, { store, runner, clock });
  for (const event of opening(tasks)) await run.signal(withPlaces(event));
  for (let before = -1, now = 0; now !== before; now = (await store.head(RUN)).sequence) {
    before = now;
    await sleep(500);
  }
  await run.stop();
  await store.close();
}

/** Twenty folders and eight agents, as a large plan has. */
function withPlaces(event) {
  if (event.type !== "plan_frozen") return event;
  const placed = event.plan.tasks.map((task, i) => ({
    ...task,
    agent: `builder-${i % 8}`,
    files: [`src/part-${i % 20}/file-${i}.ts`],
  }));
  return { ...event, plan: { ...event.plan, tasks: placed } };
}

async function startServer() {
  const child = spawn(process.execPath, [program, "serve", "--project", project, "--port", "0"], {
    cwd: project,
    env: environment,
  });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    const link = /^Open once to log in: (\S+)$/m.exec(said)?.[1];
    if (link !== undefined) return { link, url: new URL(link).origin, stop: () => child.kill("SIGKILL") };
  }
  throw new Error(`The server did not start: ${said}`);
}

const share = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

/** The CPU time that the page has taken for everything it does, in milliseconds: a busy neighbour shows less in it. */
async function cpuMs(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
}

async function watchCpu(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return session;
}

/** The time between frames while something is done, and the CPU time of the page for each, in milliseconds. */
async function framesOf(page, session, act) {
  const before = await cpuMs(session);
  await page.evaluate(() => {
    const frames = [];
    globalThis.frames_ = frames;
    let last = performance.now();
    const next = (now) => {
      frames.push(now - last);
      last = now;
      if (globalThis.frames_ === frames) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await act();
  const frames = await page.evaluate(() => {
    const found = globalThis.frames_;
    globalThis.frames_ = null;
    return found.slice(1);
  });
  const cpu = ((await cpuMs(session)) - before) / frames.length;
  return { cpu, p50: share(frames, 0.5), p95: share(frames, 0.95), p99: share(frames, 0.99), count: frames.length };
}

const scroll = (page) => async () => {
  await page.mouse.move(600, 600);
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i < 40 ? 300 : -400);
    await sleep(30);
  }
};

const panAndZoom = (page) => async () => {
  const box = await page.locator(".graph").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(x + Math.sin(i / 6) * 300, y + Math.cos(i / 9) * 120);
    await sleep(16);
  }
  await page.mouse.up();
  for (let i = 0; i < 30; i++) {
    await page.mouse.wheel(0, i < 15 ? 120 : -120);
    await sleep(30);
  }
};

/** The first page with an empty cache: its size as sent, and how soon the first answer can be given. */
async function measureFirstPage(browser, { url }, state) {
  const usable = [];
  const cpu = [];
  let kilobytes = 0;
  for (let round = 0; round < 7; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, storageState: state });
    const page = await context.newPage();
    const session = await watchCpu(page);
    const start = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.getByRole("button", { name: "Answer" }).first().waitFor();
    usable.push(performance.now() - start);
    cpu.push(await cpuMs(session));
    kilobytes = await page.evaluate(() => {
      const files = [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")];
      const own = files.filter(({ name }) => !name.includes("/api/"));
      return own.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1024;
    });
    await context.close();
  }
  return { kilobytes, usable_ms: share(usable, 0.5), cpu_ms: share(cpu, 0.5) };
}

await makeRun();
const server = await startServer();
const executablePath = execFileSync("sh", ["-c", "command -v chromium || command -v chromium-browser"], {
  encoding: "utf8",
}).trim();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await watchCpu(page);
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Needs you" }).waitFor();
  const id = (await (await page.request.get(`${server.url}/api/v1/projects`)).json()).projects[0].id;
  const open = async (view, text) => {
    await page.goto(`${server.url}/runs/${id}/${RUN}/${view}`);
    await page.getByText(text).first().waitFor();
    await page.locator(".tabs").evaluate((tabs) => tabs.scrollIntoView());
    await sleep(3000);
  };
  const rows = [];
  const measure = async (name, act) => rows.push({ name, ...(await framesOf(page, session, act)) });
  await open("tasks", "Search");
  await measure("tasks: scrolled", scroll(page));
  await open("timeline", "waiting on a person");
  await measure("timeline of all tasks: scrolled", scroll(page));
  await open("graph", "Lanes by agent");
  await page.getByLabel("Timeline below").uncheck();
  await measure("graph in groups: panned and zoomed", panAndZoom(page));
  await page.getByLabel("Lanes by agent").check();
  await sleep(2000);
  await measure("graph of all tasks in lanes: panned and zoomed", panAndZoom(page));
  const first = await measureFirstPage(browser, server, await context.storageState());
  console.log(JSON.stringify({ tasks, rows, first }));
} finally {
  await browser.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
