import { imageIn } from "../../model/attached-image.js";
import type { BriefDraft } from "../../model/intent-spec.js";
import type { UserRequest } from "../../model/request.js";
import type { InputType, RouteContext, RoutedDecision, RoutingDecision } from "../../model/routing.js";
import type { Services } from "../plan/services.js";
import { route } from "../route/route.js";
import type { AnsweredRequest } from "./answered.js";
import type { FlowInput, GivenRecord, JudgedRequest } from "./request-flow.js";

/* Which documents go with a request: to product, to builders, and to nobody. */

export function applyRouteAnswer(
  { routingPolicy, context }: FlowInput,
  { routed: { request_id, user_request: body } }: AnsweredRequest,
  type: InputType | undefined,
): RoutingDecision {
  return route(
    routingPolicy,
    {
      task_id: request_id,
      input: { body, ...(type === undefined ? {} : { type }) },
      context_registry: context,
    },
    context.filter((entry) => typeof entry !== "string"),
  );
}

/** The route with what builders are given, also when product was asked first: with the records that work is done by. */
export function routeToBuilders(input: FlowInput, { words, routing }: JudgedRequest): RoutedDecision {
  const built = routing.routed_to === "dev" ? routing : applyRouteAnswer(input, words, "technical");
  const { records = [] } = input;
  const given = built.status === "routed" ? built : routing;
  if (records.length === 0) return given;
  const refs = new Set(records.map(({ ref }) => ref));
  const isOther = ({ ref }: { readonly ref: string }) => !refs.has(ref);
  return {
    ...given,
    injected_context: given.injected_context.filter((ref) => !refs.has(ref)),
    context_log: [
      ...records.map(({ ref, rule_id }) => ({ ref, decision: "included" as const, rule_id, reason: RECORDS[rule_id] })),
      ...given.context_log.filter(isOther),
    ],
  };
}

const RECORDS: Readonly<Record<GivenRecord["rule_id"], string>> = {
  decision_record: "it is carried out",
  decision_record_related: "the record that is carried out speaks of it",
};

/** Documents that were not given are in no workspace. Source is there; the scope says what of it may be read. */
export function listWithheld({ context, records = [] }: FlowInput, { injected_context }: RoutedDecision): string[] {
  const given = new Set([...injected_context, ...records.map(({ ref }) => ref)]);
  return context.flatMap((entry) => {
    const { ref, kind } = typeof entry === "string" ? { ref: entry, kind: "standard" } : entry;
    return given.has(ref) || kind === "source" ? [] : [ref];
  });
}

/** Every document of the registry with the rule that gave it or left it out, for each child that was decided about. */
export function describeContext(routing: RoutedDecision, given: RoutedDecision): { context?: RouteContext[] } {
  const own = { target: routing.routed_to, documents: routing.context_log };
  const builders = { target: given.routed_to, documents: given.context_log };
  const context = routing.routed_to === given.routed_to ? [builders] : [own, builders];
  return context.every(({ documents }) => documents.length === 0) ? {} : { context };
}

/** Texts, addresses and images that came with the request. An agent that takes no images reads what the text says of one. */
export function readAttachments({ attachments = [] }: UserRequest, { sha256 }: Services): BriefDraft["documents"] {
  return attachments.flatMap(({ type, content, description }, index): BriefDraft["documents"] => {
    const ref = `attachments[${index}]`;
    if (type !== "image") return [{ ref, text: [description, content].filter((part) => part !== "").join("\n\n") }];
    const image = imageIn(content);
    if (image === null) return description === "" ? [] : [{ ref, text: description }];
    const checksum = sha256(image.data);
    const text = `[image ${image.mime_type}, sha256 ${checksum}]${description === "" ? "" : `\n\n${description}`}`;
    return [{ ref, text, image: { ...image, checksum } }];
  });
}

/** Attached images that no agent can be given. */
export function listUnreadableImages({ attachments = [] }: UserRequest): string[] {
  return attachments.flatMap(({ type, content }, index) =>
    type === "image" && imageIn(content) === null ? [`attachments[${index}]`] : [],
  );
}
