import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadSigningKey } from "../../src/hands/store/chain/signing-key.js";
import { seededRandom } from "../../src/mind/run/seeded.js";
import { startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { ensureBuilt } from "../build.js";
import { makeProject, PROGRAM, type Project, promptOf } from "../e2e/project.js";
import { layCable, type Machine, machine, ownDisk, resizeDisk, serveRemote, whyNoMachines } from "./team-machines.js";

/*
 * A team under fire: three workers, two coordinators, one Postgres, one git remote, all real processes, and everything that can
 * happen to them. Nothing may be lost and nothing done twice, counted in the bare repository of the remote, where no engine counts.
 *
 * With the few tasks of every check each fault strikes once, several of them at a time. COORDINATOR_CHAOS_TASKS=60 npx vitest run
 * test/chaos/team.test.ts has them strike one by one, and from 100 tasks on any of them until all is done; COORDINATOR_CHAOS_SEED draws others.
 */

const TASKS = Number(process.env["COORDINATOR_CHAOS_TASKS"] ?? 12);
const SEED = Number(process.env["COORDINATOR_CHAOS_SEED"] ?? 1);
const IS_SMALL = TASKS < 24;
const IS_WHOLE = TASKS >= 100;
/** Longer than a lease. */
const LONG_MS = 7_000;
/** How long the remote is away. */
const AWAY_MS = IS_WHOLE ? 30_000 : 3_000;
const COORDINATORS = 2;
const missing = whyNoPostgres() ?? whyNoMachines();

/** Layers of as many tasks, each of which needs one of the layer before: a run takes as long as it has layers. */
function tasksOf(count: number) {
  const width = Math.max(1, Math.round(count / Math.max(4, Math.round(count / 10))));
  return Array.from({ length: count }, (_, i) => ({
    id: `page-${i + 1}`,
    dependencies: i < width ? [] : [`page-${i + 1 - width}`],
  }));
}

/** The shipped contract, but for the tasks it takes on at once. */
const CONTRACT = readFileSync(new URL("../../policy/contract.yaml", import.meta.url), "utf8").replace(
  /^(\s*max_queue_size:).*$/m,
  "$1 1000",
);

const PLANNED = tasksOf(Math.round(TASKS / COORDINATORS));

const newProject = () =>
  makeProject({
    files: {
      "docs/book.txt": "A book.\n",
      "governance/contracts/coordinator.yaml": CONTRACT,
      "check.sh": 'grep -q book docs/book.txt && echo "ok 1 - a book"; echo "1..1"\n',
    },
    tasks: PLANNED,
    script: PLANNED.map(({ id }) => ({
      prompt_has: promptOf(id),
      steps: [{ sleep: 1_500 }, { write: `docs/${id}.txt`, text: `${id}\n` }, { say: "DOCS_COMPLETE" }],
    })),
    configuration: { checks: [{ name: "test", kind: "test", run: "sh check.sh", report: { format: "tap" } }] },
  });

it.skipIf(missing !== null)(
  `a team loses nothing and does nothing twice, whatever dies, stops, fills up or is cut off${missing === null ? "" : ` (skipped: ${missing})`}`,
  async () => {
    const over = new AbortController();
    try {
      await strikeTeam(over);
    } finally {
      // Before the workers are ended: nobody starts them again.
      over.abort();
    }
  },
  IS_WHOLE ? 7_200_000 : 600_000,
);

async function strikeTeam(over: AbortController): Promise<void> {
  ensureBuilt();
  const server = await startPostgres({ settings: () => ["max_connections = 120"] });
  onTestFinished(() => server.remove());
  const clones = Array.from({ length: COORDINATORS }, newProject) as [Project, Project];
  const [first] = clones;
  const gitPort = await sparePort();
  const remote = await serveRemote(first, gitPort);
  const store = server.url("chaos");
  for (const clone of clones) call(clone, "migrate", "--to", store, "--engine", "dbos", "--remote", remote.path);

  trustEachOther(clones);
  const cable = await layCable(join(first.folder, "cable"), [server.port, gitPort]);
  const disk = join(first.folder, "small");
  const plain = machine({ project: first, name: "plain", store, remote: remote.path });
  const wired = machine({ project: first, name: "wired", store, remote: remote.url, through: cable.through });
  const small = machine({ project: first, name: "small", store, remote: remote.path, through: ownDisk(disk) });
  const machines = [plain, wired, small];
  const kept = machines.map((each) => keepAlive(each, over.signal));
  await Promise.all(machines.map(({ worker }) => worker().hasSaid("works for")));

  const runs = await Promise.all(clones.map((clone) => coordinate(clone)));
  const team: Team = { server, clones, runs, machines, remote, cable, disk, plain, wired, small };
  const struck: string[] = [];
  const chance = seededRandom(SEED, "chaos");
  const names = Object.keys(FAULTS) as Fault[];
  // Each of them once; in the whole, any of them until the runs are over.
  const waves = IS_SMALL ? AT_ONCE : names.map((name) => [name]);
  const most = IS_WHOLE ? Infinity : waves.length;
  for (let n = 0; n < most && isOpen(team); n++) {
    const wave = waves[n] ?? [names[Math.floor(chance() * names.length)] as Fault];
    struck.push(...(await Promise.all(wave.map(async (name) => `${name} (${await FAULTS[name](team)})`))));
  }
  for (const run of runs) {
    const code = await run.ended();
    const asked = "SELECT event FROM chaos.events WHERE type IN ('escalation_raised', 'scope_requested')";
    expect([code, server.sql(asked)], run.said().slice(-3_000)).toEqual([0, ""]);
  }
  over.abort();
  for (const each of machines) each.worker().process.kill("SIGTERM");
  await Promise.all(kept);

  const said = machines.map((each) => each.said()).join("\n");
  const count = (wanted: RegExp) => said.match(wanted)?.length ?? 0;
  console.log(
    `${TASKS} tasks, seed ${SEED}: ${struck.join("; ")}. ` +
      `Attempts taken ${count(/takes run_\S+:attempt:/g)}, checks ${count(/takes run_\S+:verify:/g)}, ` +
      `of these taken over ${count(/which another worker had before/g)}, given back ${count(/^gives /gm)}.`,
  );
  // Every fault struck while there was work to lose.
  expect(struck.length).toBeGreaterThanOrEqual(names.length);
  const wanted = PLANNED.map(({ id }) => id).sort();
  for (const { runId } of runs) {
    const inRemote = (...words: string[]) => first.git(`--git-dir=${remote.path}`, ...words);
    const head = `refs/coord/${runId}/head`;
    const trailer = "--format=%(trailers:key=Coordinator-Task,valueonly,separator=%x20)";
    const merged = inRemote("log", "--first-parent", trailer, head).split("\n").filter(Boolean).sort();
    expect(merged).toEqual(wanted);
    for (const id of wanted) expect(inRemote("show", `${head}:docs/${id}.txt`)).toBe(id);
    for (const clone of clones) {
      // A clone that lost a run has refs of its own of what it did not come to publish.
      clone.git("fetch", "-q", remote.path, "+refs/coord/*:refs/coord/*");
      expect(call(clone, "verify", runId)).toContain("Verified");
    }
  }
  const counted = "SELECT count(*), count(DISTINCT run || (event::json->>'task_id')) FROM chaos.events";
  expect(server.sql(`${counted} WHERE type = 'integration_finished'`)).toBe(
    `${wanted.length * COORDINATORS}|${wanted.length * COORDINATORS}`,
  );
  expect(server.sql("SELECT count(*) FROM chaos.offers")).toBe("0");
}

interface Team {
  readonly server: Awaited<ReturnType<typeof startPostgres>>;
  readonly clones: readonly Project[];
  readonly runs: readonly Coordinated[];
  readonly machines: readonly Machine[];
  readonly remote: Awaited<ReturnType<typeof serveRemote>>;
  readonly cable: Awaited<ReturnType<typeof layCable>>;
  readonly disk: string;
  readonly plain: Machine;
  readonly wired: Machine;
  readonly small: Machine;
}

const isOpen = ({ runs }: Team) => runs.some((run) => run.isOpen());

/** What happens to a team. Each says what it saw, in a few words. */
const FAULTS = {
  async "SIGKILL of a worker"({ plain, machines, runs }: Team) {
    const victim = plain.worker();
    await something(runs, () => /takes run_/.test(plain.worker().said()));
    const before = takeovers(machines);
    victim.process.kill("SIGKILL");
    const began = performance.now();
    await something(runs, () => takeovers(machines) > before);
    return `taken over after ${seconds(began)}`;
  },
  async "a full disk"({ small, runs, disk }: Team) {
    resizeDisk(small.worker(), disk, "1m");
    await something(runs, () => /takes nothing: |gives \S+ back/.test(small.worker().said()));
    const said = small
      .worker()
      .said()
      .match(/takes nothing|gives \S+ back/)?.[0];
    resizeDisk(small.worker(), disk, "2g");
    return said?.replace(/run_\S+:/, "") ?? "nothing said";
  },
  async "SIGKILL of a coordinator"({ runs, clones }: Team) {
    const run = runs.find((each) => each.isOpen());
    if (run === undefined) return "none was there";
    const events = run.events();
    const began = performance.now();
    // Taken over in the other clone.
    await run.kill(clones.find((clone) => clone !== run.clone()) as Project);
    await something(runs, () => !run.isOpen() || run.events() > events);
    return `first event after ${seconds(began)}`;
  },
  async "a coordinator stopped past its lease"({ runs, clones }: Team) {
    const run = runs.findLast((each) => each.isOpen());
    if (run === undefined) return "none was there";
    // The other clone takes the run, then the stopped process goes on and finds that out.
    return `it ended with ${await run.stop(clones.find((clone) => clone !== run.clone()) as Project)}`;
  },
  async "Postgres killed and started again"({ server, runs }: Team) {
    await server.kill();
    await sleep(1_000);
    await server.start();
    await progress(runs);
    return "went on";
  },
  async "SIGSTOP past the lease"({ plain, machines, runs }: Team) {
    const stopped = plain.worker();
    await something(runs, () => stopped.process.exitCode !== null || /takes run_/.test(stopped.said()));
    const before = takeovers(machines);
    stopped.process.kill("SIGSTOP");
    await sleep(LONG_MS);
    stopped.process.kill("SIGCONT");
    return `${takeovers(machines) - before} taken over meanwhile`;
  },
  async "a worker cut from the network"({ cable, wired, machines, runs }: Team) {
    await something(runs, () => /takes run_/.test(wired.said()));
    const before = takeovers(machines);
    cable.cut();
    await sleep(LONG_MS);
    cable.join();
    return `${takeovers(machines) - before} taken over meanwhile`;
  },
  async "the git remote away"({ remote, runs }: Team) {
    remote.takeAway();
    await sleep(AWAY_MS);
    remote.bringBack();
    await progress(runs);
    return `for ${AWAY_MS / 1000} s`;
  },
};

type Fault = keyof typeof FAULTS;

/** Faults that strike together where there are few tasks: they have different victims. */
const AT_ONCE: readonly (readonly Fault[])[] = [
  ["SIGKILL of a worker", "a full disk"],
  ["a coordinator stopped past its lease", "SIGSTOP past the lease", "a worker cut from the network"],
  ["SIGKILL of a coordinator"],
  ["Postgres killed and started again"],
  ["the git remote away"],
];

const takeovers = (machines: readonly Machine[]) =>
  machines.reduce((sum, each) => sum + (each.said().match(/which another worker had before/g)?.length ?? 0), 0);

const seconds = (began: number) => `${((performance.now() - began) / 1000).toFixed(1)} s`;

/** Wait until it is so, or the runs are over. */
async function something(runs: readonly Coordinated[], isSo: () => boolean): Promise<void> {
  while (!isSo() && runs.some((run) => run.isOpen())) await sleep(50);
}

async function progress(runs: readonly Coordinated[]): Promise<void> {
  const all = () => runs.reduce((sum, run) => sum + run.events(), 0);
  const before = all();
  await something(runs, () => all() > before);
}

/** Start it, and start it again whenever it ends, until all is over. */
async function keepAlive({ start }: Machine, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await start().ended;
    await sleep(200, undefined, { signal: over }).catch(() => undefined);
  }
}

interface Coordinated {
  readonly runId: string;
  readonly clone: () => Project;
  readonly isOpen: () => boolean;
  readonly events: () => number;
  readonly said: () => string;
  /** Kill its process with SIGKILL, and resume the run in this clone. */
  readonly kill: (resumedIn: Project) => Promise<void>;
  /** Stop its process past its lease, resume the run in this clone, and let the process go on. Gives its exit code. */
  readonly stop: (resumedIn: Project) => Promise<number | null>;
  /** The exit code of the process that ended it. */
  readonly ended: () => Promise<number | null>;
}

/** A run, carried out by one process after another; a process that ends for want of the store or the remote is followed, too. */
async function coordinate(begunIn: Project): Promise<Coordinated> {
  let [said, isOver] = ["", false];
  let clone = begunIn;
  let child: ChildProcess;
  let runId = "";
  let told = () => undefined as void;
  const isKnown = new Promise<void>((resolve) => (told = resolve));
  let finish: (code: number | null) => void = () => undefined;
  const ended = new Promise<number | null>((resolve) => (finish = resolve));
  const start = (words: readonly string[]) => {
    const life = spawn(process.execPath, [PROGRAM, "run", ...words, "--yes", "--json"], {
      cwd: clone.project,
      env: clone.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [life.stdout, life.stderr])
      stream.on("data", (chunk) => {
        said += String(chunk);
        const [, found] = /"run_id":"(run_[^"]+)"/.exec(said) ?? [];
        if (found === undefined || runId !== "") return;
        runId = found;
        told();
      });
    return life;
  };
  const live = async (words: readonly string[]) => {
    child = start(words);
    const life = child;
    const [code, signal] = (await once(life, "close")) as [number | null, NodeJS.Signals | null];
    if (signal === "SIGKILL" || runId === "" || replaced.has(life)) return told();
    const isAgain = code !== 0 && /STORE_|REMOTE_|WORKSPACE_FAILED/.test(said.slice(-4_000));
    if (isAgain && !given) {
      await sleep(500);
      void live(["--resume", runId]);
      return;
    }
    isOver = true;
    finish(code);
  };
  let given = false;
  const replaced = new Set<ChildProcess>();
  void live(["--plan", "plan", "--max-concurrent", "3"]);
  onTestFinished(async () => {
    given = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  });
  await isKnown;
  if (runId === "") throw new Error(`no run was begun:\n${said}`);
  return {
    runId,
    clone: () => clone,
    isOpen: () => !isOver,
    events: () => said.split("\n").length,
    said: () => said,
    async kill(resumedIn) {
      if (isOver) return;
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
      clone = resumedIn;
      void live(["--resume", runId]);
    },
    async stop(resumedIn) {
      if (isOver) return null;
      const [old, before] = [child, said.length];
      const gone = once(old, "close");
      onTestFinished(() => void old.kill("SIGKILL"));
      old.kill("SIGSTOP");
      await sleep(LONG_MS);
      replaced.add(old);
      clone = resumedIn;
      void live(["--resume", runId]);
      const hasGoneOn = () => said.length > before || isOver;
      while (!hasGoneOn()) await sleep(50);
      old.kill("SIGCONT");
      const [code] = (await gone) as [number | null];
      return code;
    },
    ended: () => ended,
  };
}

/** The people of these clones keep each other's public keys, as those of a team do whose clones take over runs of each other. */
function trustEachOther(clones: readonly Project[]): void {
  const keys = clones.map(({ project }) => loadSigningKey(join(project, ".coordinator")).publicKeyPem);
  for (const { environment } of clones) {
    const folder = join(environment["HOME"] ?? "", ".config", "coordinator", "team-keys");
    mkdirSync(folder, { recursive: true });
    for (const [n, pem] of keys.entries()) writeFileSync(join(folder, `clone-${n}.pem`), pem);
  }
}

function call({ project, environment }: Project, ...words: string[]): string {
  const options = { cwd: project, env: environment, encoding: "utf8", timeout: 240_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], options);
  if (status !== 0) throw new Error(`coordinator ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout + stderr;
}

async function sparePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
