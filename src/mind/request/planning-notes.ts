import type { IntakeDecision } from "../../model/request.js";
import type { WorkEstimate } from "../propose/estimates.js";
import { criteriaToShow } from "../run/decide/criteria.js";
import { listUnreadableImages } from "./request-documents.js";
import type { FlowInput, JudgedRequest } from "./request-flow.js";
import { describeOpinion } from "./second-opinion.js";

/** Describes how a request became a plan, one line each. */
export function describePlanning(input: FlowInput, known: JudgedRequest): string[] {
  const { planner, request, answers = [] } = input;
  const { judged, routing, decider, spec, specifiedHow } = known;
  const toShow = criteriaToShow(bindingGates(input, judged));
  const { category, rule_id } = routing.classification;
  return [
    ...(answers.length === 0 ? [] : [`Answered: ${answers.map(({ id }) => id).join(", ")}`]),
    `Intake: approved, ${judged.approach ?? "enhancement"}`,
    ...(known.opinion === null ? [] : [describeOpinion(known.opinion)]),
    `Route: ${routing.routed_to}, ${category} by ${rule_id}${decider === undefined ? "" : `, said by ${decider.by}`}`,
    ...(specifiedHow !== undefined
      ? [specifiedHow]
      : spec === null
        ? []
        : [`Specified: ${spec.id}, ${spec.requirements.length} requirements`]),
    ...((request.attachments ?? []).some(({ type }) => type === "image")
      ? ["Attached images are shown to agents that take images; describe in words what matters, for those that do not."]
      : []),
    ...listUnreadableImages(request).map(
      (ref) =>
        `${ref} is not a PNG, JPEG, GIF or WebP image in base64 of at most 5 MB, so only its description is given.`,
    ),
    ...(toShow.length === 0
      ? []
      : [
          `To show before the run ends well (${judged.project_type.type ?? "this type of project"}): ${toShow.join(", ")}. ` +
            "A check does, or a person confirms or waives it.",
        ]),
    `Planner: ${planner.name}`,
  ];
}

/** The policy's own limits are intake's to keep; where planning knows better than intake did, the plan says so. */
export function describeOverPolicy({ estimate }: IntakeDecision, { tokens, seconds }: WorkEstimate): string[] {
  const { max_tokens, max_time_seconds } = estimate?.budget ?? { max_tokens: null, max_time_seconds: null };
  return [
    ...(max_tokens !== null && tokens > max_tokens
      ? [`It takes about ${tokens} tokens, and the intake policy takes on requests up to ${max_tokens}.`]
      : []),
    ...(max_time_seconds !== null && seconds > max_time_seconds
      ? [`It takes about ${seconds} s, and the intake policy takes on requests up to ${max_time_seconds} s.`]
      : []),
  ];
}

/**
 * The gates of the project's type that bind the run: of a type that the request declares or the repository shows. One that
 * is only guessed from words must not hold anybody up.
 */
export function bindingGates({ cut = false }: FlowInput, { project_type, gates }: IntakeDecision): string[] {
  const isSure = project_type.source === "context" || project_type.source === "repository";
  return cut || !isSure ? [] : [...gates];
}
