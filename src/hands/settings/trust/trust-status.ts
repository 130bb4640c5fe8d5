import type { ReadBytes } from "../../../foundation/files/read-once.js";
import type { Configuration } from "../../../model/settings/configuration.js";
import type { Diagnostic } from "../../../model/diagnostic.js";
import { agreementFile, readAgreement, readTrustedHashes } from "./agreements.js";
import { governanceReaches } from "./governance-reaches.js";
import { type Reach, reachId, trustHash } from "./reach.js";
import { realPlace, settingsReaches } from "./settings-reaches.js";

/* Where a project stands: what it asks for beyond itself, and which of it has effect. */

export interface ReachStatus extends Reach {
  readonly id: string;
  /** `own` and `agreed` have effect; the others have none. */
  readonly status: "own" | "agreed" | "waiting" | "own_settings" | "refused";
}

export interface TrustStatus {
  /** The real path of the project's root. */
  readonly root: string;
  /** Of everything that can be agreed to; null when that is nothing. */
  readonly hash: string | null;
  readonly reaches: readonly ReachStatus[];
  /** Earlier agreements to requests that are not made in this form any more, in words. */
  readonly gone: readonly string[];
  /** When the person agreed last; null when they never did. */
  readonly agreedAt: string | null;
  /** Where that is kept; null where there is no place outside of the repository. */
  readonly file: string | null;
}

/** Contract: reads only. `project` is the project's file alone, with its defaults. */
export async function findStanding(
  root: string,
  env: NodeJS.ProcessEnv,
  { project, own }: { readonly project: Configuration; readonly own: Configuration },
  read?: ReadBytes,
): Promise<{ readonly standing: TrustStatus; readonly problems: readonly Diagnostic[] }> {
  const real = realPlace(root);
  const reaches = [
    ...settingsReaches(project, { root: real, env, own }),
    ...(await governanceReaches(real, own, read)),
  ];
  const hash = trustHash(reaches);
  const trusted = await readTrustedHashes(real, env);
  const record = await readAgreement(real, env);
  const agreed = new Set(record?.agreed.map(({ id }) => id));
  const isTrustedWhole = hash !== null && trusted.hashes.has(hash);
  const standing = reaches.map((reach): ReachStatus => {
    const id = reachId(reach);
    return { ...reach, id, status: statusOf(reach, isTrustedWhole || agreed.has(id)) };
  });
  const asked = new Set(standing.map(({ id }) => id));
  return {
    standing: {
      root: real,
      hash,
      reaches: standing,
      gone: (record?.agreed ?? []).filter(({ id }) => !asked.has(id)).map(({ says }) => says),
      agreedAt: record?.agreed_at ?? null,
      file: agreementFile(real, env),
    },
    problems: trusted.problems,
  };
}

function statusOf({ allowedBy, isOwn }: Reach, isAgreed: boolean): ReachStatus["status"] {
  if (allowedBy === "nobody") return "refused";
  if (isOwn) return "own";
  if (allowedBy === "own_settings") return "own_settings";
  return isAgreed ? "agreed" : "waiting";
}

/** Lists requests that have no effect, for any reason. */
export function withoutEffect({ reaches }: Pick<TrustStatus, "reaches">): readonly ReachStatus[] {
  return reaches.filter(({ status }) => status !== "own" && status !== "agreed");
}

/** Lists requests that a person could agree to now. */
export function listWaiting({ reaches }: Pick<TrustStatus, "reaches">): readonly ReachStatus[] {
  return reaches.filter(({ status }) => status === "waiting");
}
