import type { DetectedCheck } from "../../hands/settings/detected-check.js";
import type { ChecksTrial } from "../../hands/checks/on-trees/try-checks.js";
import type { TriedLine } from "../setup-reports.js";
import type { Tried } from "./try-project.js";

/*
 * Which of the checks that were found are written down. Each was run on HEAD: one that proves nothing there would prove
 * nothing of a result either. Where a project says the same thing in several ways, the first that runs is taken.
 */

interface LeftOut {
  readonly detected: DetectedCheck;
  /** Why it is not written down, in the words of its trial. */
  readonly why: string;
}

export interface ChosenChecks {
  readonly kept: readonly DetectedCheck[];
  readonly left: readonly LeftOut[];
  readonly tried: Tried;
}

type Try = (checks: readonly DetectedCheck[]) => Promise<Tried>;

/** Contract: every round tries only checks with another way left; there are no more rounds than the longest list of ways. */
export async function chooseChecks(detected: readonly DetectedCheck[], attempt: Try): Promise<ChosenChecks> {
  let chosen = [...detected];
  let tried = await attempt(chosen);
  for (let round = 1; tried.commit !== null && !isSetupBroken(tried); round++) {
    const next = chosen.map((each) => (isWanting(each, tried) ? (each.instead?.[0] ?? each) : each));
    const changed = next.filter((each, i) => each !== chosen[i]);
    if (changed.length === 0 || round > MOST_ROUNDS) break;
    const again = await attempt(changed);
    if (again.commit === null) break;
    // A way that does not run either says less than the first one.
    const better = new Set(changed.filter((each) => !isWanting(each, again)));
    chosen = chosen.map((each, i) => {
      const other = next[i] ?? each;
      if (other === each || better.has(other)) return other;
      return { ...each, instead: (each.instead ?? []).slice(1) };
    });
    const names = new Set([...better].map(({ check }) => check.name));
    tried = mergeTrials(tried, again, names);
  }
  const { kept, left } = divideChecks(chosen, tried);
  return { kept, left, tried: { ...tried, lines: tried.lines.map((line) => markLeftOut(line, left)) } };
}

/** A check that is left out holds up nothing; it is reported all the same. */
function markLeftOut(line: TriedLine, left: readonly LeftOut[]): TriedLine {
  const isLeft = line.kind !== "setup" && left.some(({ detected }) => detected.check.name === line.name);
  return isLeft ? { ...line, status: "weak", detail: `left out: ${line.detail}` } : line;
}

const MOST_ROUNDS = 4;

function isBad({ check }: DetectedCheck, lines: readonly TriedLine[]): boolean {
  return lines.some(({ name, kind, status }) => name === check.name && kind === check.kind && status === "bad");
}

/** Proves nothing, or ran without tests that could not be loaded: another way may run all of them. */
function isWanting(each: DetectedCheck, { lines, trial }: Tried): boolean {
  const result = trial?.checks.find(({ check }) => check.run === each.check.run)?.result;
  return isBad(each, lines) || /errors? during collection|\bERROR collecting\b/.test(result?.output ?? "");
}

export function isSetupBroken({ lines }: Pick<Tried, "lines">): boolean {
  return lines.some(({ kind, status }) => kind === "setup" && status === "bad");
}

/** The lines of a later round take the places of those with the same names. */
function mergeTrials(first: Tried, again: Tried, names: ReadonlySet<string>): Tried {
  const lineOf = (line: TriedLine) =>
    names.has(line.name) && line.kind !== "setup"
      ? (again.lines.find(({ name, kind }) => name === line.name && kind !== "setup") ?? line)
      : line;
  const trial: ChecksTrial | null = first.trial;
  return { ...first, trial, lines: first.lines.map(lineOf) };
}

/**
 * Where nothing ran, everything stays: one cause has stopped all of it, and mending that mends all. Otherwise what does
 * not run here is left out, except the only tests there are.
 */
function divideChecks(chosen: readonly DetectedCheck[], tried: Tried): Pick<ChosenChecks, "kept" | "left"> {
  const bad = (each: DetectedCheck) => isBad(each, tried.lines);
  const runs = chosen.filter((each) => !bad(each));
  if (tried.commit === null || isSetupBroken(tried) || runs.length === 0) return { kept: chosen, left: [] };
  const hasTests = runs.some(({ check }) => check.kind === "test");
  const isKept = (each: DetectedCheck) => !bad(each) || (each.check.kind === "test" && !hasTests);
  const left = chosen
    .filter((each) => !isKept(each))
    .map((detected) => ({
      detected,
      why: tried.lines.find(({ name, kind }) => name === detected.check.name && kind !== "setup")?.detail ?? "",
    }));
  return { kept: chosen.filter(isKept), left };
}
