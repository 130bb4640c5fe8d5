import { join } from "node:path";
import type { VerdictReport } from "../../model/settings/check.js";
import { type Git, mergeCommits, must } from "../../hands/integration/merge.js";
import { judgedRequirements, describeRequirement } from "../../mind/run/decide/requirements.js";
import type { RunState } from "../../mind/run/state.js";
import { createWorkspaces } from "../../hands/workspace/workspace.js";
import { workspacesRoot } from "../../hands/workspace/workspaces-root.js";
import { readBrief } from "../run/brief.js";
import { type Refused, refuseMerge } from "./merge-outcome.js";
import type { MergePlace } from "./merge-run.js";
import type { MergeFacts } from "./merge-statement.js";
import { listAcceptedObjections, listWaivedTests } from "../../hands/checks/waived.js";
import { portRanges } from "../../hands/attempts/port-ranges.js";
import { proveRequirements } from "../../hands/checks/on-trees/prove-requirements.js";
import { type CheckTree, treeProver } from "../../hands/checks/on-trees/prove-trees.js";

/* A branch that has moved since the run began: neither side was ever proven together with the other. */

interface ProvenMerge {
  readonly tree: string;
  readonly verdict: VerdictReport;
  readonly requirements: MergeFacts["requirements"];
}

/** It is proven now, checks and requirements both, or it is not taken. */
export async function proveMerge(
  place: MergePlace,
  git: Git,
  into: string,
  tip: string,
): Promise<ProvenMerge | Refused> {
  const { request, quarantine, head, base } = place;
  const found = await mergeCommits(git, tip, head);
  const hand = `Merge it by hand (git merge refs/coord/${request.runId}/head), or run again on ${into} as it is now.`;
  if (found.status === "conflict")
    return refuseMerge(
      `${into} has moved and conflicts in ${found.conflicts.map(({ path }) => path).join(", ")}`,
      hand,
    );
  if (found.status === "lossy")
    return refuseMerge(`The merge would lose lines, the first in ${found.lost[0]?.path ?? "?"}`, hand);
  const moved = `${into} has moved, and together with it`;
  request.told?.(`${into} has moved since the run began: the checks run on both together before it is merged …`);
  const root = await workspacesRoot(quarantine, request.configuration.workspace.folder, request.project.environment);
  const workspaces = await createWorkspaces({ quarantine, root, now: () => request.at });
  try {
    const { runId, configuration, project, unsafeNoSandbox } = request;
    const { folder: stateFolder } = project.at;
    const { prove, check } = await treeProver({
      runId,
      quarantine,
      workspaces,
      configuration,
      stateFolder,
      environment: project.environment,
      base: base?.commit ?? head,
      unsafeNoSandbox,
      treeIs: `the merge with ${into}`,
      stopped: new AbortController().signal,
      nextPorts: portRanges(configuration.workspace.ports, join(stateFolder, "ports")),
    });
    const verdict = await prove(
      await treeOf(git, tip),
      found.tree,
      { may_go: listWaivedTests(request.state), accepted: listAcceptedObjections(request.state) },
      new AbortController().signal,
    );
    if (verdict.verdict !== "PASS")
      return refuseMerge(
        `${moved} the checks do not pass: ${verdict.reasons.slice(0, 3).join("; ")}`,
        hand,
        "verification",
      );
    const requirements = await provenRequirements(place, git, check, found.tree);
    const unmet = (requirements?.results ?? []).filter(
      ({ priority, holds }) => priority === "must_have" && holds !== true,
    );
    if (unmet.length > 0 && !request.partial)
      return refuseMerge(
        `${moved} a requirement does not hold: ${unmet.slice(0, 3).map(describeRequirement).join("; ")}`,
        hand,
        "verification",
      );
    return { tree: found.tree, verdict, requirements };
  } finally {
    await workspaces.close();
  }
}

async function provenRequirements(
  { request, requirements }: MergePlace,
  git: Git,
  run: CheckTree,
  tree: string,
): Promise<MergeFacts["requirements"]> {
  const brief = requirements === null ? null : await readBrief(request.records);
  if (requirements === null || brief === null || brief.spec === null) return requirements;
  const { spec } = brief.spec;
  const parts = { git, checks: request.configuration.checks, run };
  const proof = await proveRequirements(parts, spec, tree, new AbortController().signal);
  const { ref } = await request.records.write(`requirements of ${tree}`, { tree, ...proof });
  const results = proof.results.map((result, i) => ({
    ...result,
    priority: spec.requirements[i]?.priority ?? "must_have",
  }));
  return { ...requirements, tree, ref, results };
}

/** The requirements as the run found them; null when it has none. */
export function requirementsIn(state: RunState): MergeFacts["requirements"] {
  const { brief, requirements } = state;
  if (brief === null || brief.spec === null) return null;
  const { tree = null, ref = null } = requirements.judged ?? {};
  const { id: spec_id, checksum: spec_checksum } = brief.spec;
  return { spec_id, spec_checksum, tree, ref, results: judgedRequirements(state) };
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return (await must(git, ["rev-parse", `${commit}^{tree}`])).trim();
}
