import type { LoggedEvent, RunEvent } from "../../model/event.js";
import type { PlanRef, RunPolicy } from "../../model/run.js";
import { canonicalJson } from "../../foundation/canonical-json/canonical.js";
import { carryOut, type LiveRun } from "../../hands/engine/carry-out.js";
import { isOver, NEW_RUN, type RunState } from "../../mind/run/state.js";
import { fold, step } from "../../mind/run/transition.js";
import { BRIEF } from "./agents.js";
import { Chance } from "./chance.js";
import { drawFaults, drawPlan, drawPolicy } from "./draw.js";
import { Watch } from "./invariants.js";
import { answerTo, wish } from "./people.js";
import { SharedHands } from "./shared-hands.js";
import { SharedLog } from "./shared-log.js";
import { SimulatedProcess, Timeline } from "./timeline.js";

/*
 * A whole run of a team without a machine: two processes with the real engine want to carry it out, one log, leases that end,
 * messages that come late, twice or after the death of who sent them, workers that die and come back. All drawn from one seed.
 */

export interface TeamSimulation {
  readonly seed: number;
  readonly status: RunState["status"];
  readonly events: readonly LoggedEvent[];
  /** How often the run came into the hands of another process. */
  readonly takeovers: number;
  /** Appends of processes that had lost the run, and results of workers that were not the first. */
  readonly refused: number;
  readonly late: number;
  readonly kills: number;
  readonly stops: number;
  readonly violations: readonly string[];
}

/** More than any honest run of this size takes. */
const MOST_STEPS = 60_000;

/** Reports of an attempt from before it heard that it is over what it may use: nobody is at fault. */
const UNDER_WAY = /goes on reporting after it went over/;

/** `isFenced` is false in a test only, which must see it found out. */
export async function simulateTeam(seed: number, { isFenced = true } = {}): Promise<TeamSimulation> {
  return new TeamWorld(seed, isFenced).run();
}

interface Driver {
  readonly process: SimulatedProcess;
  live: LiveRun | null;
}

class TeamWorld {
  readonly #seed: number;
  readonly #chance: Chance;
  readonly #time = new Timeline();
  readonly #policy: RunPolicy;
  readonly #plan: PlanRef;
  readonly #watch: Watch;
  readonly #log: SharedLog;
  readonly #hands: SharedHands;
  readonly #drivers: Driver[] = [];
  readonly #asked = new Set<string>();
  /** The state that the log gives. */
  #state: RunState = NEW_RUN;
  #takeovers = -1;
  #kills = 0;
  #stops = 0;

  constructor(seed: number, isFenced: boolean) {
    this.#seed = seed;
    this.#chance = new Chance(seed);
    const faults = drawFaults(this.#chance);
    this.#policy = drawPolicy(this.#chance);
    this.#plan = drawPlan(this.#chance);
    this.#watch = new Watch(this.#plan, this.#policy);
    const shared = { time: this.#time, chance: this.#chance };
    this.#log = new SharedLog({ ...shared, isFenced, onAppended: (events) => this.#checkAppended(events) });
    this.#hands = new SharedHands({
      ...shared,
      faults,
      onAsked: (effect) => this.#watch.acted(effect),
      report: (process, event) => {
        const driver = this.#drivers.find((each) => each.process === process);
        void driver?.live?.signal(event).catch(() => undefined);
      },
      again: (event) => this.#send(event, this.#chance.between(0, 5_000), { isOnce: true }),
    });
  }

  async run(): Promise<TeamSimulation> {
    this.#begin();
    for (const slot of [0, 1]) this.#start(slot);
    this.#hurt();
    for (let steps = 0; !isOver(this.#state) && (await this.#time.next()); steps++)
      if (steps > MOST_STEPS) {
        this.#watch.report("the run does not end");
        break;
      }
    const events = await this.#log.log();
    this.#watch.atEnd(this.#state, fold(events));
    // Calls under way get no answer any more: nobody waits for it.
    for (const { live } of this.#drivers) void live?.stop();
    return {
      seed: this.#seed,
      status: this.#state.status,
      events,
      takeovers: this.#takeovers,
      refused: this.#log.refused,
      late: this.#hands.late,
      kills: this.#kills,
      stops: this.#stops,
      violations: this.#watch.violations.filter((violation) => !UNDER_WAY.test(violation)),
    };
  }

  /** The words of people and of the front door, in their order, each until it was taken. */
  #begin(): void {
    const chance = this.#chance;
    const policy = this.#policy;
    this.#send({ type: "request_received", request_id: "r1", request: "do it", seed: this.#seed, policy }, 0);
    this.#send({ type: "intake_decided", decision: "approved", reason: "clear", unsafe: false }, 100);
    this.#send({ type: "plan_frozen", plan: this.#plan, verified: true }, 200);
    if (this.#seed % 3 === 0) this.#send({ type: "brief_kept", brief: BRIEF }, 300);
    const tasks = this.#plan.tasks.map(({ task_id }) => task_id);
    for (let n = chance.between(0, 2); n > 0; n--) this.#send(wish(n, tasks, chance), chance.between(2_000, 300_000));
  }

  /** A process that wants the run: it claims it until it gets it, and is replaced when it ends. */
  #start(slot: number): void {
    const process = new SimulatedProcess(this.#time);
    const driver: Driver = { process, live: null };
    this.#drivers[slot] = driver;
    const time = this.#time;
    const clock = {
      now: () => new Date(1_750_000_000_000 + time.now).toISOString(),
      elapsedMs: () => time.now,
      wait: (ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          process.later(ms, resolve);
          signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        }),
    };
    const parts = { store: this.#log.storeOf(process), runner: this.#hands.runnerOf(process), clock };
    const again = () => {
      process.isAlive = false;
      this.#time.after(this.#chance.between(500, 2_000), () => this.#start(slot));
    };
    carryOut(this.#log.runId, parts).then((live) => {
      driver.live = live;
      this.#takeovers++;
      this.#follow(live).catch(again);
    }, again);
  }

  /** Rejects when it has lost the run. One that waits on people only is settled, and goes on. */
  async #follow(live: LiveRun): Promise<void> {
    while (!isOver(await live.settled())) await new Promise<void>((resolve) => this.#time.after(1_000, resolve));
  }

  /** The process that has the run is killed, or stopped for a while, again and again. */
  #hurt(): void {
    this.#time.after(this.#chance.between(1_000, 90_000), () => {
      const slot = this.#drivers.findIndex(({ process }) => process === this.#log.holder);
      const driver = this.#drivers[slot];
      if (driver?.process.isAlive === true) {
        if (this.#chance.happens(0.5)) {
          this.#kills++;
          driver.process.isAlive = false;
          this.#time.after(this.#chance.between(200, 20_000), () => this.#start(slot));
        } else {
          this.#stops++;
          driver.process.stopFor(this.#chance.between(500, 20_000));
        }
      }
      this.#hurt();
    });
  }

  /**
   * Give this to a process that has the run, or thinks so. Contract: until one has taken or refused it for good, also when the answer
   * was lost: it may come twice. `isOnce` is for what nobody sends again; `onRefused` is called in place of sending it again.
   */
  #send(event: RunEvent, later: number, { isOnce = false, onRefused = (): void => undefined } = {}): void {
    this.#time.after(later, () => {
      const [live, ...others] = this.#drivers.filter(({ process, live: run }) => process.isAlive && run !== null);
      const to = others.length > 0 && this.#chance.happens(0.5) ? others[0] : live;
      const again = () => {
        if (!isOnce && !isOver(this.#state)) this.#send(event, this.#chance.between(500, 3_000));
      };
      if (to === undefined || to.live === null) return again();
      const { live: run, process } = to;
      let isAnswered = false;
      const answerOnce = (act: () => void) => () => {
        if (isAnswered) return;
        isAnswered = true;
        act();
      };
      const deliver = () =>
        void run
          .signal(event)
          .then(
            (why) => answerOnce(() => (why === null ? undefined : this.#isEarly(event) ? again() : onRefused()))(),
            answerOnce(again),
          );
      for (let copies = this.#chance.happens(0.1) ? 2 : 1; copies > 0; copies--)
        process.later(this.#chance.between(1, 50), deliver);
      this.#time.after(30_000, answerOnce(again));
    });
  }

  /** People look at what is open then, and again when their answer was refused: by one that has lost the run, or for good reasons. */
  #ask(id: string): void {
    this.#time.after(this.#chance.between(1_000, 60_000), () => {
      const entry = this.#state.inbox.find((each) => each.id === id);
      if (entry !== undefined) this.#send(answerTo(entry, this.#chance), 0, { onRefused: () => this.#ask(id) });
    });
  }

  #isEarly(event: RunEvent): boolean {
    const { policy, layout } = this.#state;
    if (event.type === "request_received") return false;
    return policy === null || (layout === null && event.type !== "intake_decided");
  }

  #checkAppended(logged: readonly LoggedEvent[]): void {
    for (let i = 0; i < logged.length;) {
      const { event, clock_ms } = logged[i] as LoggedEvent;
      const taken = step(this.#state, event, clock_ms);
      const there = logged.slice(i, i + taken.events.length).map((each) => each.event);
      if (canonicalJson(there) !== canonicalJson(taken.events))
        this.#watch.report(`${event.type} is in the log without what follows from it`);
      this.#watch.committed(this.#state, taken.state, taken.events, taken.state.clock_ms);
      const open = new Set(taken.state.inbox.map(({ id }) => id));
      for (const { id } of this.#state.inbox) if (!open.has(id)) this.#asked.delete(id);
      // As anybody reads it who folds the log.
      this.#state = fold(logged.slice(i, i + taken.events.length), this.#state);
      i += Math.max(1, taken.events.length);
    }
    for (const entry of this.#state.inbox) {
      if (this.#asked.has(entry.id)) continue;
      this.#asked.add(entry.id);
      this.#ask(entry.id);
    }
  }
}
