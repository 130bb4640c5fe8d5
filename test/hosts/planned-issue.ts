import { foldRun } from "../../src/app/inspect/fold-run.js";
import type { RunState } from "../../src/mind/run/state.js";
import { storeIn } from "../cli/run-logs.js";
import type { Hosted } from "./hosted.js";

/* An issue of Ada's, who may approve, and the plan that is made of it. */

const TITLE = "Fix the typo in a.txt";
export const BODY = "In a.txt the second line says two. It must say three. Done when a.txt has the line three.";
const WHEN = "2026-03-01T09:00:00Z";

/** The address of an issue with the number 12. */
export function addIssue({ host }: Hosted, body = BODY): string {
  const html_url = `${host.url}/${host.repository}/issues/12`;
  const told = { user: host.ada, created_at: WHEN, updated_at: WHEN, html_url };
  host.issues.set(12, { id: 9012, number: 12, title: TITLE, body, state: "open", labels: [], ...told });
  return html_url;
}

export const knowAda = ({ host }: Hosted) => ({ people: { [`github:${host.ada.id}`]: { name: "Ada", roles: [] } } });

export interface Planned {
  readonly run_id: string;
  /** What is typed to approve it. */
  readonly typed: string;
}

/** Contract: fails for an issue that is not planned. */
export async function planIssue(at: Hosted, body = BODY): Promise<Planned> {
  const { code, json } = await at.coordinator("plan", "--issue", addIssue(at, body));
  if (code !== 3) throw new Error(JSON.stringify(json));
  const typed = `/coordinator approve ${(json["plan_checksum"] as string).slice(0, 12)}`;
  return { run_id: json["run_id"] as string, typed };
}

export async function stateOf({ cwd }: Hosted, runId: string): Promise<RunState> {
  const store = await storeIn(cwd);
  const { state } = await foldRun(store, runId);
  await store.close();
  return state;
}
