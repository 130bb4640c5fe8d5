import { removeAgreement, TRUST_FILE, writeAgreement } from "../../hands/settings/trust/agreements.js";
import {
  type ReachStatus,
  type TrustStatus,
  listWaiting,
  withoutEffect,
} from "../../hands/settings/trust/trust-status.js";
import type { Project } from "./project.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import { inputFailure } from "./input-failure.js";

export interface TrustArguments {
  readonly project: Project;
  /** Only show. */
  readonly show: boolean;
  readonly revoke: boolean;
  /** Asks a person; null where nobody can be asked. Saying yes beforehand is not an answer. */
  readonly ask: ((shown: string) => Promise<boolean>) | null;
}

/**
 * Show what a project asks for beyond itself, and remember what a person agrees to.
 *
 * Contract: nothing is remembered without a person's yes at a terminal, given after every line was shown.
 */
export async function trustProject(args: TrustArguments): Promise<Finished> {
  const { project } = args;
  const { trust, problems } = await project.settings();
  if (args.revoke) {
    const removed = await removeAgreement(trust.root, project.environment);
    const after = await project.judgeAgain();
    return finish(EXIT.done, { type: "trust", ...after.trust, done: removed ? "revoked" : "nothing_to_revoke" });
  }
  if (problems.length > 0) return inputFailure(problems);
  const waiting = listWaiting(trust);
  if (args.show || waiting.length === 0) return finish(EXIT.done, { type: "trust", ...trust, done: "shown" });
  if (args.ask === null) return nobodyToAsk(trust);
  if (!(await args.ask(linesForTrust(trust).join("\n"))))
    return finish(EXIT.refused, { type: "trust", ...trust, done: "declined" });
  await agreeTo(trust, waiting, project.environment, project.now());
  const after = await project.judgeAgain();
  return finish(EXIT.done, { type: "trust", ...after.trust, done: "agreed" });
}

/** Remembers what a person has just been shown and agreed to, beside what they agreed to before and is still asked for. */
export async function agreeTo(
  { root, hash, reaches }: TrustStatus,
  now: readonly ReachStatus[],
  env: NodeJS.ProcessEnv,
  at: string,
): Promise<string> {
  const kept = reaches.filter(({ status }) => status === "agreed");
  const agreed = [...kept, ...now].map(({ id, says }) => ({ id, says }));
  return writeAgreement({ schema_version: "1.0.0", root, hash, agreed_at: at, agreed }, env);
}

/** The lines before the question: each request, and how it differs from earlier agreements. */
export function linesForTrust({ root, reaches, gone, agreedAt, hash }: TrustStatus): string[] {
  const waiting = listWaiting({ reaches });
  const agreed = reaches.filter(({ status }) => status === "agreed");
  const others = withoutEffect({ reaches }).filter(({ status }) => status !== "waiting");
  const isNew = agreedAt === null;
  return [
    isNew
      ? `The project in ${root} asks for this beyond it:`
      : `The project in ${root} asks for something else than what you agreed to on ${agreedAt.slice(0, 10)}:`,
    ...waiting.map(({ says, where }) => `  ${isNew ? "-" : "+"} ${says}  (${where})`),
    ...(isNew ? [] : gone.map((says) => `  - no longer: ${says}`)),
    ...(agreed.length === 0 ? [] : [`Agreed to already, and unchanged:`, ...agreed.map(({ says }) => `    ${says}`)]),
    ...(others.length === 0 ? [] : ["Not among what you can agree to here:"]),
    ...others.map(
      ({ says, status }) => `  ! ${says}${status === "own_settings" ? " (only in your own settings)" : ""}`,
    ),
    ...(hash === null ? [] : [`Hash of all of it: ${hash}`]),
  ];
}

function nobodyToAsk(trust: TrustStatus): Finished {
  const lines = listWaiting(trust).map(({ says }) => says);
  return fail(
    EXIT.refused,
    "NOT_TRUSTED",
    `Nobody can be asked here, and trust is given by a person who sees what it is for: ${lines.join("; ")}`,
    {
      fix:
        "Type coordinator trust at a terminal, without --yes, --json and --no-input. In a pipeline, put the line " +
        `${trust.hash ?? ""} into a file outside of the repository and name that file in ${TRUST_FILE}.`,
    },
  );
}
