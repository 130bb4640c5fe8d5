import type { Diagnostic } from "../../../model/diagnostic.js";
import type { ExecutionIntent, RegistryVersions } from "../../../model/plan/intent.js";
import { RISK_LEVELS } from "../../../model/primitives.js";
import type { PlanInputs } from "../inputs.js";
import { findBrokenTexts, findIdProblems, findLimitProblems, findUnsafePaths } from "../inputs/intent-problems.js";
import { type ParsedIntent, parseIntent } from "../parse-intent.js";
import { type Breach, findBreaches, type RedLine } from "./red-lines.js";
import { checkVersionDrift, validateRegistryRefs } from "../inputs/registry-references.js";
import { checksumOf, type Services } from "../services.js";
import { abortGuard, blockGuard, type Guard, passGuard } from "../transition.js";

export interface Precheck {
  readonly guards: readonly Guard[];
  readonly parsed: ParsedIntent | null;
  readonly intentChecksum: string;
}

/** Everything that can be said of an intent before its context is known: red lines, schema, checksum, references. */
export function precheck(inputs: PlanInputs, services: Services): Precheck {
  const redLines = redLineGuards(inputs.intent);
  const result = parseIntent(inputs.intent);
  if (!result.ok) return { guards: [...redLines, schemaGuard(result.problems)], parsed: null, intentChecksum: "" };
  const { parsed } = result;
  const intentChecksum = checksumOrNull(parsed.intent, services);
  if (intentChecksum === null)
    return { guards: [...redLines, schemaGuard(findBrokenTexts(parsed.intent))], parsed: null, intentChecksum: "" };
  const guards = [
    ...redLines,
    passGuard("intent_schema_valid", `The intent conforms to v${parsed.schemaVersion}`, [parsed.intent.id]),
    documentGuard(
      "intent_ids_unique",
      findIdProblems(parsed),
      "No id stands twice and every reference inside the intent leads somewhere",
    ),
    documentGuard("paths_are_safe", findUnsafePaths(parsed), "Every path stays inside the repository"),
    limitsGuard(parsed, inputs),
    checksumGuard(parsed.intent, intentChecksum),
    statusGuard(parsed.intent),
    policyGuard(parsed.intent, inputs),
    ...registryGuards(parsed, inputs),
    driftGuard(parsed, inputs, intentChecksum),
  ];
  return { guards, parsed, intentChecksum };
}

/** The checksum of an intent: over its canonical form without the field that holds the checksum. */
export function intentChecksumOf(intent: ExecutionIntent, services: Services): string {
  const { checksum: _, ...audit } = intent.audit;
  return checksumOf({ ...intent, audit }, services);
}

/** Null when the intent has no canonical form: readers of files refuse such texts, other callers may not have. */
function checksumOrNull(intent: ExecutionIntent, services: Services): string | null {
  try {
    return intentChecksumOf(intent, services);
  } catch (error) {
    if (error instanceof TypeError && findBrokenTexts(intent).length > 0) return null;
    throw error;
  }
}

const RED_LINES: Readonly<Record<RedLine, { name: string; holds: string; recovery: string }>> = {
  I1: {
    name: "red_line_i1_no_execution_payload",
    holds: "Nothing in the intent is there to be executed",
    recovery: "Take the field out: an intent names commands of the registry and carries none itself.",
  },
  I2: {
    name: "red_line_i2_full_auto_asks_nothing",
    holds: "full_auto asks nothing, or the mode is another",
    recovery: "Set question_budget 0 and question_policy never, or choose another mode.",
  },
  I3: {
    name: "red_line_i3_high_risk_not_full_auto",
    holds: "High or critical risk is not full_auto",
    recovery: "Choose interactive or semi_auto.",
  },
  I4: {
    name: "red_line_i4_evidence_on_commands",
    holds: "Every planned command has evidence",
    recovery: "Say in evidence_refs what each command is based on.",
  },
};

function redLineGuards(document: unknown): Guard[] {
  const breaches = findBreaches(document);
  return (Object.keys(RED_LINES) as RedLine[]).map((line) => {
    const { name, holds, recovery } = RED_LINES[line];
    const found: Breach[] = breaches.filter((breach) => breach.code === `RED_LINE_${line}`);
    if (found.length === 0) return passGuard(name, holds);
    const reason = `Red line ${line}: ${found
      .map((b) => `${b.path}: ${b.message}`)
      .slice(0, 5)
      .join("; ")}`;
    return abortGuard(name, reason, { type: "red_line_violation", recovery: [recovery], diagnostics: found });
  });
}

function schemaGuard(problems: readonly Diagnostic[]): Guard {
  return blockGuard("intent_schema_valid", listProblems(problems), {
    type: "constraint_violation",
    recovery: ["Mend the fields named; `coordinator intent check` lists every problem."],
    diagnostics: problems,
    invalidInput: true,
  });
}

/** A problem of the document itself: reported like a schema error. */
function documentGuard(name: string, problems: readonly Diagnostic[], holds: string): Guard {
  if (problems.length === 0) return passGuard(name, holds);
  return blockGuard(name, listProblems(problems), {
    type: "constraint_violation",
    recovery: ["Mend the fields named."],
    diagnostics: problems,
    invalidInput: true,
  });
}

function limitsGuard(parsed: ParsedIntent, { policy }: PlanInputs): Guard {
  const problems = findLimitProblems(parsed, policy.limits);
  if (problems.length === 0) return passGuard("intent_within_limits", "The intent keeps the policy's limits");
  return blockGuard("intent_within_limits", listProblems(problems), {
    type: "constraint_violation",
    recovery: problems.flatMap((p) => (p.fix === undefined ? [] : [p.fix])),
    diagnostics: problems,
  });
}

function checksumGuard({ id, audit }: ExecutionIntent, computed: string): Guard {
  if (audit.checksum === computed) return passGuard("intent_checksum_valid", `audit.checksum is ${computed}`, [id]);
  return blockGuard(
    "intent_checksum_valid",
    `audit.checksum is ${audit.checksum}, but the intent's content gives ${computed}`,
    {
      type: "constraint_violation",
      recovery: ["If the change was meant, seal the intent again: coordinator intent seal FILE"],
      diagnostics: [
        {
          code: "INTENT_CHECKSUM",
          path: "audit.checksum",
          message: `does not match the content, which gives ${computed}`,
        },
      ],
    },
  );
}

function statusGuard({ id, status }: ExecutionIntent): Guard {
  if (status !== "rejected" && status !== "superseded")
    return passGuard("intent_status_plannable", `The intent is ${status}`, [id]);
  return blockGuard("intent_status_plannable", `The intent is ${status}, so there is nothing to plan`, {
    type: "constraint_violation",
    recovery: ["Plan the intent that took its place."],
    diagnostics: [{ code: "INTENT_STATUS", path: "status", message: `is ${status}` }],
  });
}

const AUTONOMY = ["interactive", "semi_auto", "full_auto"];

function policyGuard({ interaction, risk }: ExecutionIntent, { policy }: PlanInputs): Guard {
  const name = "policy_allows_intent";
  const breach =
    AUTONOMY.indexOf(interaction.mode) > AUTONOMY.indexOf(policy.most_autonomy)
      ? `mode ${interaction.mode} is more autonomous than ${policy.most_autonomy}`
      : interaction.mode === "full_auto" &&
          RISK_LEVELS.indexOf(risk.overall) > RISK_LEVELS.indexOf(policy.full_auto_max_risk)
        ? `full_auto is allowed up to ${policy.full_auto_max_risk} risk, and this is ${risk.overall}`
        : null;
  if (breach === null)
    return passGuard(name, `The policy ${policy.policy_id} allows ${interaction.mode}`, [
      `policy://${policy.policy_id}`,
    ]);
  return abortGuard(name, `The policy ${policy.policy_id} is breached: ${breach}`, {
    type: "policy_violation",
    recovery: ["Choose a less autonomous mode."],
    diagnostics: [{ code: "POLICY_BREACH", path: "interaction.mode", message: breach }],
  });
}

function registryGuards(parsed: ParsedIntent, { registry }: PlanInputs): Guard[] {
  const problems = validateRegistryRefs(parsed, registry.index);
  const missing = problems.filter((p) => p.why === "missing");
  const inactive = problems.filter((p) => p.why !== "missing");
  const refs = parsed.commands.slice(0, 20).map((c) => `registry://commands/${c.command_id}`);
  return [
    missing.length === 0
      ? passGuard("registry_content_exists", "Everything the intent names is in the registry", refs)
      : blockGuard(
          "registry_content_exists",
          `Red line I5: not in the registry: ${missing.map((m) => `${m.kind} ${m.id}`).join(", ")}`,
          {
            type: "missing_registry",
            recovery: [
              "Write the missing entries; `coordinator registry draft --intent FILE` makes starters for them.",
            ],
            diagnostics: missing.map((m) => ({
              code: "REGISTRY_MISSING",
              path: m.id,
              message: `the ${m.kind} ${m.id} is not in the registry`,
            })),
          },
        ),
    inactive.length === 0
      ? passGuard("registry_content_active", "Everything the intent names is active")
      : blockGuard(
          "registry_content_active",
          `Not active: ${inactive.map((m) => `${m.kind} ${m.id} (${m.why})`).join(", ")}`,
          {
            type: "missing_registry",
            recovery: ["Name an active entry instead, or make the entry active."],
            diagnostics: inactive.map((m) => ({
              code: "REGISTRY_INACTIVE",
              path: m.id,
              message: `the ${m.kind} ${m.id} is ${m.why}`,
            })),
          },
        ),
  ];
}

/** The versions that drift is measured against: the intent's own record, or the lock file beside a v0.9.1 intent. */
function recordedVersions({ intent }: ParsedIntent, { lock }: PlanInputs): RegistryVersions | undefined {
  const own = "registry_versions" in intent ? intent.registry_versions : undefined;
  return own ?? lock?.registry_versions;
}

function driftGuard(parsed: ParsedIntent, inputs: PlanInputs, intentChecksum: string): Guard {
  const name = "registry_versions_match";
  const { lock } = inputs;
  if (lock !== null && (lock.intent_id !== parsed.intent.id || lock.intent_checksum !== intentChecksum))
    return blockGuard(
      name,
      `The lock file belongs to ${lock.intent_id} with checksum ${lock.intent_checksum}, not to this intent`,
      {
        type: "constraint_violation",
        recovery: ["Seal the intent again: coordinator intent seal FILE"],
        diagnostics: [
          { code: "LOCK_STALE", path: "", message: "the lock file was made for another content of the intent" },
        ],
      },
    );
  const recorded = recordedVersions(parsed, inputs);
  const drift = checkVersionDrift(recorded, inputs.registry.index);
  if (drift.length > 0)
    return blockGuard(
      name,
      `The registry changed since the intent was made: ${drift
        .map((d) => `${d.id} ${d.was} → ${d.is}`)
        .slice(0, 10)
        .join(", ")}`,
      {
        type: "constraint_violation",
        recovery: ["Look at the changes, then seal the intent again: coordinator intent seal FILE"],
        diagnostics: drift.map((d) => ({
          code: "REGISTRY_DRIFT",
          path: `${d.kind}.${d.id}`,
          message: `was ${d.was}, is ${d.is}`,
        })),
      },
    );
  return passGuard(
    name,
    recorded === undefined
      ? "The intent records no registry versions, so there is no drift to find"
      : "No registry entry changed since the intent was made",
  );
}

/** The first few problems in one line; the diagnostics carry them all. */
function listProblems(problems: readonly Diagnostic[]): string {
  const shown = problems.slice(0, 5).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return problems.length > 5 ? `${shown.join("; ")}; and ${problems.length - 5} more` : shown.join("; ");
}
