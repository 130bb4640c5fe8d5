import type { Approach, IntakeStep } from "../../model/request.js";
import type { CompiledPolicy } from "./compile-policy.js";
import { evidenceOf } from "./evidence.js";
import type { Reading } from "./reading/reading.js";

export interface ApproachFinding {
  readonly approach: Approach;
  readonly workflow_id: string;
  readonly base_tokens: number;
  readonly step: IntakeStep;
}

/** How many statements are read: what comes later is detail, and often a template's headings. */
const MOST_STATEMENTS = 12;

/** Name what kind of work is asked for, which picks the workflow. The statement that speaks first decides. */
export function chooseApproach({ policy, approaches }: CompiledPolicy, reading: Reading): ApproachFinding {
  for (const { tokens } of reading.own.slice(0, MOST_STATEMENTS)) {
    const hits = approaches.scan(tokens);
    let best = hits[0];
    for (const hit of hits)
      if (best === undefined || hit.at < best.at || (hit.at === best.at && hit.label < best.label)) best = hit;
    const entry = best === undefined ? undefined : policy.approaches[best.label];
    if (best === undefined || entry === undefined) continue;
    const start = tokens[best.at]?.start ?? 0;
    const end = tokens[best.at + best.length - 1]?.end ?? start;
    return makeFinding(entry, `Reads as ${entry.approach}`, [evidenceOf(reading, start, end, entry.approach)]);
  }
  const last = policy.approaches.at(-1) ?? FALLBACK;
  return makeFinding(last, `Nothing says otherwise: ${last.approach}`, []);
}

const FALLBACK = { approach: "enhancement", workflow_id: "feature_delivery", base_tokens: 20_000 } as const;

function makeFinding(
  entry: { readonly approach: Approach; readonly workflow_id: string; readonly base_tokens: number },
  reason: string,
  evidence: IntakeStep["evidence"],
): ApproachFinding {
  const { approach, workflow_id, base_tokens } = entry;
  const step: IntakeStep = { step: "approach", outcome: "passed", rule_id: `approach_${approach}`, reason, evidence };
  return { approach, workflow_id, base_tokens, step };
}
