import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { findOnPath } from "../../hands/attempts/agent-program.js";
import { ownSettings } from "../../hands/settings/load-configuration.js";
import { findAbilities } from "../../hands/sandbox/grade.js";
import { sweepOrphans } from "../../hands/sandbox/kill.js";
import { type Connections, openConnections } from "../../hands/store/postgres/connection.js";
import { nameOfStore, parseAddress } from "../../hands/store/postgres/address.js";
import { openPostgresStore } from "../../hands/store/postgres/open-postgres-store.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";
import { sha256 } from "../../hands/store/sha256.js";
import { AgentPreset, AgentSettings } from "../../model/settings/agent-config.js";
import { resolveAgent } from "../../hands/agents/resolve-agent.js";
import { requireEngineSchema } from "../../hands/workers/engine-schema.js";
import { checkRemote } from "../../hands/workers/git-remote.js";
import { findTrouble } from "../../hands/workers/machine-trouble.js";
import type { OwnSettings } from "../../hands/workers/own-terms.js";
import { perform } from "../../hands/workers/perform.js";
import { ENGINE_PROTOCOL } from "../../hands/workers/work-order.js";
import { openPlace, requireWritable } from "../../hands/workers/worker-place.js";
import { IS_LIVE } from "../../hands/workers/worker-rows.js";
import { workLoop } from "../../hands/workers/work-loop.js";
import { createWorkspaces } from "../../hands/workspace/workspace.js";
import { workspacesRoot } from "../../hands/workspace/workspaces-root.js";
import { CoordinatorError } from "../../model/errors.js";
import { VERSION } from "../../version.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../exit-codes.js";
import { inputFailure } from "../project/input-failure.js";
import { finish, type Finished } from "../report.js";
import { requireSandbox, SHIM, systemClock } from "../run/machine.js";

export interface WorkerWanted {
  readonly postgres: string;
  readonly remote: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  /** Where it keeps its files: an absolute path. */
  readonly folder?: string | undefined;
  readonly unsafeNoSandbox: boolean;
}

/** Callbacks of the process that runs it. */
export interface WorkerOrders {
  readonly drain: AbortSignal;
  readonly end: AbortSignal;
  /** Told what it does, a line each. */
  readonly say: (line: string) => void;
}

/**
 * Work for the runs of a store until it is told to end: `drain` lets it finish what it has, `end` does not.
 *
 * Contract: nothing is taken before store, remote, sandbox and version were found to be as they must be. The person's
 * own settings decide what of this machine the work gets; no project's settings are read.
 */
export async function runWorker(
  wanted: WorkerWanted,
  { project }: CommandContext,
  { drain, end, say }: WorkerOrders,
): Promise<Finished> {
  const { environment } = project;
  const remote = checkRemote(wanted.remote);
  const address = parseAddress(wanted.postgres);
  const options = { address, password: passwordFrom(environment) };
  // There is no project where a person's own settings lie, so nothing but those settings is found.
  const loaded = await project.reopen(dirname(ownSettings(environment))).settings();
  if (loaded.problems.length > 0) return inputFailure(loaded.problems);
  const own = loaded.configuration;
  const sandbox = requireSandbox(wanted.unsafeNoSandbox);
  // Makes the tables when there are none, and refuses what does not go together.
  await (await openPostgresStore({ ...options, sha256 })).close();
  const connections = await openConnections(options);
  try {
    await requireEngineSchema(connections, address);
    await refuseOtherVersions(connections);
    const place = await openPlace({ remote, folder: wanted.folder, environment });
    const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    await requireWritable(place, id);
    await sweepOrphans(join(place.stateFolder, "cages"));
    const workspaces = await createWorkspaces({
      quarantine: place.quarantine,
      root: await workspacesRoot(place.quarantine, undefined, environment),
      now: systemClock.now,
    });
    await workspaces.recover();
    const path = environment["PATH"] ?? "";
    let done = 0;
    say(
      `Worker ${id} works for ${nameOfStore(address)} with ${remote}: ${wanted.capacity} at once, sandbox ${sandbox.grade}`,
    );
    try {
      await workLoop(
        {
          connections,
          options,
          self: {
            id,
            host: hostname(),
            pid: process.pid,
            version: VERSION,
            protocol: ENGINE_PROTOCOL,
            capacity: wanted.capacity,
          },
          abilities: {
            labels: [...new Set([...wanted.labels, ...own.worker.labels])],
            accepts: [...new Set(["public" as const, "internal" as const, ...own.worker.accepts])],
            sandbox: findAbilities().grade,
            without_sandbox: wanted.unsafeNoSandbox,
            agents: agentsHere(own, path),
          },
          hasProgram: (program) => findOnPath(program, path) !== null,
          findTrouble: () => findTrouble(place.folder),
          perform: async (work, { told, ...asked }) => {
            const ended = await perform(work, { place, workspaces, own, clock: systemClock, shim: SHIM, told }, asked);
            done++;
            return ended;
          },
          say,
        },
        drain,
        end,
      );
    } finally {
      await workspaces.close();
    }
    return finish(EXIT.done, { type: "worker_stopped", worker: id, done });
  } finally {
    await connections.close();
  }
}

/** Agents whose programs are on this machine, under the names that plans know them by. */
function agentsHere(own: OwnSettings, path: string): string[] {
  const presets = AgentPreset.options.map((preset) => [preset, AgentSettings.parse({ preset })] as const);
  const all = new Map<string, AgentSettings>([...presets, ...Object.entries(own.agents)]);
  return [...all].flatMap(([name, settings]) => {
    const [program] = resolveAgent(name, settings).argv;
    return findOnPath(program, path) === null ? [] : [name];
  });
}

async function refuseOtherVersions(connections: Connections): Promise<void> {
  // Nothing else of such a row is read: another version may say other things of itself.
  const [other] = await connections.ask<{ protocol: string }>(
    `SELECT protocol FROM offers WHERE done_at IS NULL AND cancelled_at IS NULL AND protocol <> $1
     UNION ALL SELECT w.protocol FROM workers w WHERE w.protocol <> $1 AND ${IS_LIVE} LIMIT 1`,
    [ENGINE_PROTOCOL],
  );
  const found = other?.protocol;
  if (found === undefined) return;
  throw new CoordinatorError(
    "WORKER_VERSION",
    `This program is version ${VERSION} and speaks version ${ENGINE_PROTOCOL} of the engine's protocol; the store ${connections.store} is used with version ${found}`,
    {
      fix: "Use the same version of this program for coordinators and workers. Work of another version is done by workers of that version.",
    },
  );
}
