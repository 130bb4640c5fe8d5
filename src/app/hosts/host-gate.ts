import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { HostGate } from "../../hands/hosts/host-http.js";
import { inTurn } from "../../hands/store/sqlite/turn.js";
import { stateDirectory } from "../../hands/workspace/state-places.js";
import { readOwnJson, writeOwnJson } from "../serve/own-json.js";

/*
 * The pace of requests to a server, for all projects and processes of a person: a limit that the server named holds for all
 * of them until it is over, and writes are sent one after the other. A process that dies gives its turn back.
 */

const Limit = z.object({ schema_version: z.literal("1.0.0"), server: z.string(), until: z.iso.datetime() });
const Write = z.object({ schema_version: z.literal("1.0.0"), server: z.string(), at: z.iso.datetime() });

/** Long enough for the writes of the processes before: one request each. */
const WAIT_MS = 120_000;

/** Contract: without a home directory nothing is shared, and every process keeps the pace by itself. */
export function openGate(
  server: string,
  environment: NodeJS.ProcessEnv,
  clock: { readonly now: () => string; readonly wait: (ms: number) => Promise<void> },
): HostGate {
  const state = stateDirectory(environment);
  const file = (what: string) =>
    state === null
      ? null
      : join(state, "hosts", `${createHash("sha256").update(server).digest("hex").slice(0, 16)}-${what}`);
  const [limit, write, turn] = [file("limit.json"), file("write.json"), file("turn.db")];
  let own: string | null = null;
  return {
    limitedUntil: () => {
      const until = limit === null ? own : (readOwnJson(limit, Limit)?.until ?? null);
      return until !== null && Date.parse(until) > Date.parse(clock.now()) ? until : null;
    },
    limit: (until) => {
      if (limit === null) own = until;
      else writeOwnJson(limit, { schema_version: "1.0.0", server, until });
    },
    inWriteTurn: (pauseMs, act) => {
      const waitForTurn = async () => {
        const last = write === null ? null : (readOwnJson(write, Write)?.at ?? null);
        const since = last === null ? Infinity : Date.parse(clock.now()) - Date.parse(last);
        // A clock that was set back must not stop writes for longer than the pause.
        await clock.wait(Math.min(pauseMs, Math.max(0, pauseMs - since)));
        try {
          return await act();
        } finally {
          if (write !== null) writeOwnJson(write, { schema_version: "1.0.0", server, at: clock.now() });
        }
      };
      return turn === null ? waitForTurn() : inTurn(turn, WAIT_MS, waitForTurn);
    },
  };
}
