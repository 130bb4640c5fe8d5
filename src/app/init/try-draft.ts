import { parse } from "yaml";
import { draftConfiguration, type DraftInput } from "../../hands/settings/draft-configuration.js";
import { Configuration } from "../../model/settings/configuration.js";
import type { ProjectBase } from "../project/project.js";
import type { ChecksTried } from "../setup-reports.js";
import { chooseChecks, type ChosenChecks, isSetupBroken } from "./choose-checks.js";
import type { DoctorArguments } from "../doctor/doctor.js";
import { tryProject } from "./try-project.js";

/* Tries detected setup and checks once on HEAD, as a run would: those that work, or work after one fix, are written down. */

export interface TryDraftArguments {
  readonly project: ProjectBase;
  /** Whether anything is run. */
  readonly tries: boolean;
  /** The command that installs what is missing; null when nothing is. */
  readonly install: string | null;
  readonly signal: AbortSignal;
  readonly doctor: Pick<DoctorArguments, "sandbox" | "minutes" | "progress">;
}

export interface TriedDraft {
  readonly draft: DraftInput;
  /** Null when nothing was run. */
  readonly tried: ChecksTried | null;
}

export async function tryDraft(draft: DraftInput, args: TryDraftArguments): Promise<TriedDraft> {
  const { tries, doctor } = args;
  if (!tries || draft.checks.length === 0 || (await doctor.sandbox?.())?.status === "bad")
    return { draft, tried: null };
  const { setup } = draft;
  // Whether a setup works is known when it has run, and no sooner.
  const ready = setup === null ? draft : { ...draft, setup: { ...setup, tried: true } };
  const first = await chooseAndTry(ready, args);
  if (setup === null || !isSetupBroken(first.tried)) return withChosen(ready, first);
  const bare = await chooseAndTry({ ...draft, setup: null }, args);
  const proves = bare.tried.lines.some(({ status }) => status !== "bad");
  if (!proves) return withChosen(ready, first);
  // Checks that need no packages run all the same: the setup is written down as a remark, and told.
  const failed = first.tried.lines.filter(({ kind }) => kind === "setup");
  const told = failed.map((line) => ({ ...line, status: "weak" as const, detail: `left out: ${line.detail}` }));
  const tried = { ...bare.tried, lines: [...told, ...bare.tried.lines] };
  return withChosen({ ...draft, setup: { ...setup, tried: false } }, { ...bare, tried });
}

function chooseAndTry(
  draft: DraftInput,
  { project, install, signal, doctor }: TryDraftArguments,
): Promise<ChosenChecks> {
  const { minutes, progress = () => undefined } = doctor;
  return chooseChecks(draft.checks, (checks) => {
    const configuration = Configuration.parse(parse(draftConfiguration({ ...draft, checks })));
    const fill = draft.setup?.install ?? null;
    return tryProject({ project, configuration, install, fill, minutes, progress, signal });
  });
}

function withChosen(draft: DraftInput, { kept, left, tried }: ChosenChecks): TriedDraft {
  const { trial: _, ...told } = tried;
  return { draft: { ...draft, checks: kept, left }, tried: told };
}
