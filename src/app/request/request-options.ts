import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import { uuidOf } from "../../model/uuid-of.js";
import type { AdrSource, RequestAnswer } from "../../model/request-origin.js";
import type { Sensitivity } from "../../model/primitives.js";
import type { GivenRecord } from "../../mind/request/request-flow.js";
import type { UserRequest } from "../../model/request.js";
import type { InputType } from "../../model/routing.js";
import type { Decider } from "../../model/run.js";
import type { Planner } from "../../mind/propose/planner.js";
import type { CommandContext } from "../command-context.js";

/** Options of a request for a plan, in words or by a decision record. */
export interface RequestOptions {
  readonly words: string;
  /** The time of the request: equal words and times give equal plans. */
  readonly now: string | undefined;
  readonly by: string | undefined;
  /** A file with answers to what intake asked. */
  readonly clarify: string | undefined;
  readonly model: string | undefined;
  readonly sensitivity?: Sensitivity | undefined;
  readonly maxTokens: number | undefined;
  readonly maxSeconds: number | undefined;
  /** The type that a person gave the request: it is not classified then. */
  readonly type?: InputType | undefined;
  /** How they said so, where it was not by the command. */
  readonly via?: Decider["via"] | undefined;
  readonly policy: string | undefined;
  readonly registries: readonly string[];
  readonly facts: string | undefined;
  readonly memory: string | undefined;
  /** Where the plan is written to; nothing is written when absent. */
  readonly out: string | undefined;
  /** The command that asks again, for the person. */
  readonly again: string;
  /** Answers of people to questions about it. */
  readonly answers?: readonly RequestAnswer[];
  /** The whole request, when it came as one: its words are `words`. */
  readonly request?: UserRequest;
  /** For a decision record: what it is, who proposes its tasks, and that it is an explicit instruction. */
  readonly adr?: {
    readonly source: AdrSource;
    /** Proposes the tasks that the record lists; absent where it only obliges in prose: then the configured planner is asked. */
    readonly planner?: Planner | undefined;
    readonly type: InputType;
    /** The record itself and those it speaks of: they are given whatever the context registry says. */
    readonly records: readonly GivenRecord[];
  };
  /** For a work queue: its file, who proposes its tasks, and that they are explicit instructions. */
  readonly queue?: { readonly file: string; readonly planner: Planner; readonly type: InputType };
}

/** The options of a request of which nothing is said but its words. */
export const NO_REQUEST_OPTIONS = {
  now: undefined,
  by: undefined,
  clarify: undefined,
  model: undefined,
  maxTokens: undefined,
  maxSeconds: undefined,
  policy: undefined,
  registries: [],
  facts: undefined,
  memory: undefined,
  out: undefined,
} satisfies Partial<RequestOptions>;

/** Contract: what people said without the secrets in it: what is not said here gets into no name, plan, prompt or record. */
export function withoutSaidSecrets<T extends Pick<RequestOptions, "words" | "again" | "request" | "answers">>(
  asking: T,
): T {
  const { words, again, request, answers } = asking;
  return {
    ...asking,
    ...withoutSecrets({ words, again }),
    ...(request === undefined ? {} : { request: withoutSecrets(request) }),
    ...(answers === undefined ? {} : { answers: withoutSecrets(answers) }),
  };
}

/** The words as a request. Contract: the same words at the same time give the same id. */
export function requestOf(asking: RequestOptions, timestamp: string, { parts }: CommandContext): unknown {
  const { words, model, sensitivity, maxTokens, maxSeconds, adr } = asking;
  const preferences = {
    ...(model === undefined ? {} : { model }),
    ...(maxTokens === undefined ? {} : { max_budget_tokens: maxTokens }),
    ...(maxSeconds === undefined ? {} : { max_time_seconds: maxSeconds }),
  };
  const named = adr === undefined ? [timestamp, words] : [adr.source.label, adr.source.checksum];
  return {
    request_id: uuidOf(parts.sha256(JSON.stringify(named))),
    timestamp,
    user_request: words,
    context: { preferences, ...(sensitivity === undefined ? {} : { data_sensitivity: sensitivity }) },
  };
}
