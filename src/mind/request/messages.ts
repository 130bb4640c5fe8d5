import type { IntentSpec } from "../../model/intent-spec.js";
import type { AdrSource } from "../../model/request-origin.js";
import type { FactPack } from "../../model/settings/packs.js";
import type { Proposal } from "../../model/proposal.js";
import type { Registry } from "../../model/plan/registry.js";
import type { IntakeDecision, UserRequest } from "../../model/request.js";
import type { RoutedDecision } from "../../model/routing.js";
import type { Message } from "../../model/run.js";
import { uuidOf } from "../../model/uuid-of.js";
import type { Services } from "../plan/services.js";
import type { WorkEstimate } from "../propose/estimates.js";
import { criteriaOf } from "../propose/template/concerns.js";
import { factStrings } from "../propose/template/fact-strings.js";
import { partsOfRequest } from "../propose/template/request-parts.js";
import { titleOf } from "../propose/words.js";
import { planningRequest, planningResponse } from "../run/messages.js";

/* Messages between Coordinator and Planner about one request. Ids follow from the request, so they can be replayed. */

type PlanningRequest = Extract<Message, { type: "planning_request" }>;

export interface Asked {
  readonly request: UserRequest;
  readonly judged: IntakeDecision;
  readonly routing: RoutedDecision;
  readonly spec: IntentSpec | null;
  readonly facts: FactPack;
  readonly adr?: AdrSource;
}

export function requestMessage(asked: Asked, services: Services): PlanningRequest {
  const { request, judged, routing, spec, facts, adr } = asked;
  const budget = judged.estimate?.budget;
  return planningRequest(
    { message_id: uuidOf(services.sha256(`${request.request_id}/planning_request`)), timestamp: request.timestamp },
    {
      request_id: request.request_id,
      objective: spec?.objective ?? titleOf(request.user_request),
      requirements: requirementsOf(asked),
      constraints: {
        max_tokens: budget?.max_tokens ?? 0,
        max_time_seconds: budget?.max_time_seconds ?? 0,
        technologies: [...factStrings(facts, "languages"), ...factStrings(facts, "frameworks")],
        project_type: judged.project_type.type ?? "unknown",
      },
      context: {
        approach: judged.approach,
        routed_to: routing.routed_to,
        injected_context: routing.injected_context,
        facts: facts.pack_id,
        ...(adr === undefined ? {} : { adr }),
      },
    },
  );
}

/** Without an Intent Spec each part of the request is a requirement, with what rules say shows that it is met. */
function requirementsOf({ request, judged, spec, facts }: Asked): PlanningRequest["payload"]["requirements"] {
  if (spec !== null)
    return spec.requirements.map(({ id, description, priority, verification }) => ({
      requirement: `${id}: ${description}`,
      priority,
      acceptance_criteria: [JSON.stringify(verification)],
    }));
  const { kind, points } = partsOfRequest(request.user_request, judged, facts);
  const { acceptance } = judged.intent;
  if (points.length === 0)
    return [
      {
        requirement: titleOf(request.user_request),
        priority: "must_have",
        acceptance_criteria: criteriaOf(request.user_request, kind, acceptance),
      },
    ];
  return points.map((point) => ({
    requirement: titleOf(point.text),
    priority: "must_have",
    acceptance_criteria: criteriaOf(point.text, point.kind, []),
  }));
}

export interface Answered {
  readonly status: "success" | "partial";
  readonly proposal: Proposal;
  readonly registry: Registry;
  readonly work: WorkEstimate;
  readonly timestamp: string;
}

const NO_WORK = { tokens: 0, minutes: 0 };

/** Builds the planner's response: its proposal, phase by phase, with the estimate of each task. */
export function responseMessage(to: PlanningRequest, answered: Answered, services: Services) {
  const { proposal, registry, work } = answered;
  const phases = new Map<string, Parameters<typeof planningResponse>[1]["phases"][number]["tasks"]>();
  for (const task of proposal.tasks) {
    const command = registry.commands.find(({ id }) => id === task.command_id);
    if (command === undefined) continue;
    const { tokens, minutes } = work.expected.get(task.id) ?? NO_WORK;
    const own = phases.get(command.phase) ?? [];
    own.push({
      task_id: task.id,
      description: task.title,
      assigned_to: command.owner,
      dependencies: task.dependencies,
      estimated_tokens: tokens,
      estimated_time_seconds: Math.round(minutes * 60),
    });
    phases.set(command.phase, own);
  }
  return planningResponse(
    {
      message_id: uuidOf(services.sha256(`${to.payload.request_id}/planning_response`)),
      timestamp: answered.timestamp,
      in_reply_to: to.message_id,
    },
    {
      status: answered.status,
      phases: [...phases].map(([phase, tasks]) => ({ phase, tasks })),
      risks: proposal.risks,
      recommendations: proposal.recommendations,
    },
  );
}
