import { z } from "@hono/zod-openapi";
import { BatchJson, InboxJson } from "../../model/api/runs.js";
import { ProjectKey } from "../../model/api/shared.js";
import { useCases } from "../../app/coordinator.js";
import { guardServed } from "../../app/serve/served-project.js";
import type { Principal } from "../../app/serve/sessions.js";
import { nameOf, openPlaces, placeOf, type ServerContext } from "../context.js";
import { endpoint, type Endpoint } from "../endpoint.js";
import { problemOf } from "../problem.js";
import { afterDecision } from "./after-decision.js";
import { decisionOf, NewDecision } from "./decision-body.js";
import { answerOf, RunId } from "./shared.js";

/* The inbox over all projects, and deciding several entries of it at once. */

const MOST_DECISIONS = 100;
const DECIDE_WAIT_MS = 5000;

const NamedDecision = NewDecision.extend({ project: ProjectKey, run_id: RunId }).openapi("NamedDecision");
type NamedDecision = z.infer<typeof NamedDecision>;

export const INBOX: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/inbox",
    id: "getInbox",
    tag: "inbox",
    summary: "Everything that waits on people, over all projects, oldest first",
    role: "reader",
    answer: InboxJson.openapi("Inbox"),
    handle: async ({ server }) => {
      const all = await Promise.all(
        openPlaces(server).map(async ({ project }) => {
          const found = answerOf(await useCases.showInbox(project.context)) as FoundInbox;
          const addProject = <T extends object>(list: readonly T[]) =>
            list.map((one) => ({ project: project.id, ...one }));
          const { entries, standing, on_host, to_send } = found;
          return {
            ...found,
            entries: addProject(entries),
            standing: addProject(standing),
            on_host: addProject(on_host),
            to_send: addProject(to_send),
          };
        }),
      );
      const entries = all.flatMap((one) => one.entries);
      entries.sort((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
      return {
        type: "inbox",
        open: entries.length,
        entries,
        standing: all.flatMap(({ standing }) => standing),
        on_host: all.flatMap(({ on_host }) => on_host),
        to_send: all.flatMap(({ to_send }) => to_send),
        problems: all.flatMap(({ problems }) => problems),
      };
    },
  }),
  endpoint({
    method: "post",
    path: "/inbox/decisions",
    id: "decideBatch",
    tag: "inbox",
    summary: "Decide several entries, one after another; each has a result of its own, and none stops the others",
    role: "approver",
    body: z.strictObject({ decisions: z.array(NamedDecision).min(1).max(MOST_DECISIONS) }).openapi("NewDecisions"),
    answer: BatchJson.openapi("DecisionsTaken"),
    handle: async ({ server, body, principal }) => {
      const results: Awaited<ReturnType<typeof decideOne>>[] = [];
      for (const one of body.decisions) results.push(await decideOne(one, principal, server));
      const taken = results.filter(({ problem }) => problem === null).length;
      return { type: "decisions", taken, refused: results.length - taken, results };
    },
  }),
];

/** Contract: never rejects for what can go wrong with one entry: that is its problem. */
async function decideOne(one: NamedDecision, principal: Principal, server: ServerContext) {
  const { project: named, run_id, entry_id, as } = one;
  const about = { project: named, run_id, entry_id };
  try {
    const place = placeOf(server, named);
    await guardServed(place.project, "answer");
    const args = {
      id: entry_id,
      decision: decisionOf(one.decision, as),
      by: nameOf(principal),
      as,
      run: run_id,
      waitMs: DECIDE_WAIT_MS,
      via: principal.via,
    };
    const decision = await afterDecision(await useCases.decideEntry(args, place.project.context), place, server);
    return { ...about, decision, problem: null };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "INTERNAL") throw error;
    return { ...about, decision: null, problem };
  }
}

interface FoundInbox {
  readonly entries: readonly { readonly opened_at: string }[];
  readonly standing: readonly object[];
  readonly on_host: readonly object[];
  readonly to_send: readonly object[];
  readonly problems: readonly string[];
}
