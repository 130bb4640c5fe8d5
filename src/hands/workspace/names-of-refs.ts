import { createHash } from "node:crypto";

/** The parts of an attempt in the names of refs and folders. */
export interface AttemptName {
  readonly runId: string;
  readonly taskId: string;
  readonly attemptId: string;
}

const RESERVED = ["salvage", "bases", "anchors"];

/** Contract: different ids give different parts, and each part is safe in a ref and in a folder's name. */
function part(id: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(id) && !RESERVED.includes(id)) return id;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 12);
  const readable = id.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
  return `_${readable}-${digest}`;
}

/** Where the branch of a run ends. */
export const headRef = (runId: string) => `refs/coord/${runId}/head`;

export function attemptRef({ runId, taskId, attemptId }: AttemptName): string {
  return `refs/coord/${part(runId)}/${part(taskId)}/${part(attemptId)}`;
}

export function salvageRef({ runId, taskId, attemptId }: AttemptName): string {
  return `refs/coord/salvage/${part(runId)}/${part(taskId)}/${part(attemptId)}`;
}

export function attemptFolder({ runId, taskId, attemptId }: AttemptName): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([runId, taskId, attemptId]))
    .digest("hex")
    .slice(0, 12);
  return `at~${part(taskId).slice(0, 40)}~${part(attemptId).slice(0, 40)}~${digest}`;
}
