import type { PublicKey } from "../project/open-runs.js";
import { keyIdOfNote, type KnownKey, type RememberedRun } from "../project/remembered.js";

/* Which keys a run's checkpoints are checked with, and whether the project's key was exchanged for another. */

export interface KeysSeen {
  /** The project's key as it lies there now; null when there is none. */
  readonly project: PublicKey | null;
  /** The memory of this machine about the run, and about the keys the project has had. */
  readonly remembered: RememberedRun | null;
  readonly known: readonly KnownKey[];
  /** The keys of others that the person trusts on this machine. */
  readonly team: readonly PublicKey[];
}

export interface KeyFinding {
  readonly kind: "key";
  readonly sequence: 0;
  readonly message: string;
}

export interface ChosenKey {
  readonly key: PublicKey | null;
  /** It, and the other keys that may have signed a checkpoint of the run. */
  readonly keys: readonly PublicKey[];
  readonly findings: readonly KeyFinding[];
  /** Remarks on the key although nothing is wrong. */
  readonly said: readonly string[];
}

/** A key is remembered when a run is carried out, which is after its first event. */
const LATE_MS = 3_600_000;

/** Contract: pure. `notes` are the run's checkpoints as they stand there, `begunAt` is when its first event says it was. */
export function chooseKey(seen: KeysSeen, notes: readonly string[], begunAt: string | null): ChosenKey {
  const ids = new Set(notes.map(keyIdOfNote));
  const own = chooseOwn(seen, ids, begunAt);
  const team = seen.team.filter(({ pem }) => pem !== own.key?.pem);
  const signers = team.filter(({ id }) => ids.has(id));
  const keys = own.key === null ? team : [own.key, ...team];
  const said = signers.map(
    ({ id }) =>
      `The run is signed with ${id}, too, a key of the team that you trust: who holds it could have signed other events.`,
  );
  // A clone that has carried out nothing has no key of its own, and needs none for a run of others.
  const isTheirs = seen.project === null && seen.remembered === null && own.key === null && signers.length > 0;
  if (isTheirs) return { key: signers[0] as PublicKey, keys, findings: [], said };
  return { ...own, keys, said: [...own.said, ...said] };
}

function chooseOwn(
  { project, remembered, known }: KeysSeen,
  ids: ReadonlySet<string | null>,
  begunAt: string | null,
): Omit<ChosenKey, "keys"> {
  const signed = known.find(({ key_id }) => ids.has(key_id));
  const key = remembered?.key ?? (signed === undefined ? project : { pem: signed.public_key, id: signed.key_id });
  const finding = (message: string): Omit<ChosenKey, "keys"> => ({
    key,
    findings: [{ kind: "key", sequence: 0, message }],
    said: [],
  });
  if (key === null)
    return finding("The signing key, .coordinator/signing-key.pem, is missing, and this machine remembers none");
  if (project === null)
    return finding(`The signing key, .coordinator/signing-key.pem, is missing: the run was signed with ${key.id}`);
  const now = known.find(({ public_key }) => public_key === project.pem);
  if (project.pem !== key.pem && now === undefined)
    return finding(
      `The signing key was exchanged: the run was signed with ${key.id}, and the project has ${project.id} now`,
    );
  if (project.pem !== key.pem)
    return {
      key,
      findings: [],
      said: [`The run was signed with the key ${key.id}; since ${now?.first_seen} the project has ${project.id}.`],
    };
  const last = known.at(-1);
  if (last !== undefined && now === undefined)
    return finding(
      `The signing key was exchanged: the project had ${last.key_id} since ${last.first_seen}, and has ${project.id} now`,
    );
  if (remembered === null && now !== undefined && now !== known[0] && begunAt !== null)
    if (Date.parse(begunAt) + LATE_MS < Date.parse(now.first_seen))
      return finding(
        `The run began at ${begunAt} and is signed with ${key.id}, which the project has only since ${now.first_seen}`,
      );
  return { key, findings: [], said: [] };
}
