import { type Command, InvalidArgumentError, Option } from "commander";
import { CoordinatorError } from "../../model/errors.js";
import type { Sensitivity } from "../../model/primitives.js";
import type { InputType } from "../../model/routing.js";
import type { RequestOptions } from "../../app/request/request-options.js";

/* Options of a request beside its words, for all commands that make one. */

export interface RequestFlags {
  model?: string;
  sensitivity?: Sensitivity;
  maxTokens?: number;
  maxSeconds?: number;
  type?: InputType;
  by?: string;
  clarify?: string;
  policy?: string;
  registry?: string[];
  facts?: string;
  memory?: string;
  now?: string;
}

export function addRequestOptions(command: Command): Command {
  return command
    .option("--model <name>", "the model that works, or a family such as claude or ollama: it is used and nothing else")
    .addOption(
      new Option(
        "--sensitivity <class>",
        "how sensitive what is asked is; confidential and restricted data go only to agents your own settings accept",
      ).choices(["public", "internal", "confidential", "restricted"]),
    )
    .addOption(new Option("--max-tokens <n>", "the most tokens the work may take").argParser(parsePositive))
    .addOption(new Option("--max-seconds <n>", "the most time its attempts may take together").argParser(parsePositive))
    .addOption(
      new Option("--type <type>", "what the request is: it goes where that goes, and no rule classifies it").choices([
        "technical",
        "product",
        "ambiguous",
      ]),
    )
    .option("--clarify <file>", "answers to the questions of intake, as `coordinator intake` takes them")
    .option("--by <name>", "who asks; git's user.name when absent");
}

/** The words of a request: as they were typed, or, for `-`, what stands on stdin. */
export async function spokenWords(typed: readonly string[], host: NodeJS.Process): Promise<string[]> {
  if (typed.length !== 1 || typed[0] !== "-") return [...typed];
  const { readRequest, STDIN } = await import("../../app/request/read-request.js");
  const given = await readRequest(STDIN, host.cwd(), host.stdin);
  if (given.ok && given.form === "words" && given.text.trim() !== "") return [given.text.trim()];
  throw new CoordinatorError("USAGE", "There are no words on stdin", {
    fix: 'Send a request in plain words, as UTF-8; a whole request as JSON goes to "coordinator run --request -".',
  });
}

export function requestOptionsOf(
  words: readonly string[],
  options: RequestFlags,
  again: string,
): Omit<RequestOptions, "out"> {
  return {
    words: words.join(" "),
    now: options.now,
    by: options.by,
    clarify: options.clarify,
    model: options.model,
    sensitivity: options.sensitivity,
    maxTokens: options.maxTokens,
    maxSeconds: options.maxSeconds,
    type: options.type,
    policy: options.policy,
    registries: options.registry ?? [],
    facts: options.facts,
    memory: options.memory,
    again,
  };
}

function parsePositive(value: string): number {
  if (!/^[1-9]\d{0,11}$/.test(value)) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return Number(value);
}
