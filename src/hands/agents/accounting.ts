import type { ModelPrice, UsageRule } from "../../model/settings/agent-config.js";
import { isFree, priceTokens, UNKNOWN_PRICE } from "../../model/settings/prices.js";
import type { Amounts, Usage } from "../../model/run.js";
import type { AgentEnding } from "./agent.js";
import { mostCost, mostTokens, saneCount } from "./plausible.js";

/*
 * Usage of an attempt. Agents report in different ways, so the rule of each says what its numbers mean; what none of them
 * says is counted from what was seen, marked as estimated, and never zero.
 */

interface Tokens {
  readonly in: number;
  readonly out: number;
}

/** The turns of an attempt that have ended, added up. */
interface Earlier extends Tokens {
  readonly usd: number;
  readonly calls: number;
  readonly tokens: "reported" | "estimated";
  readonly cost: "reported" | "priced" | "estimated";
}

export interface AccountRules {
  readonly usage: UsageRule;
  readonly price: ModelPrice | null;
  readonly reports_cost: boolean;
}

/** About what a model makes of a text. Low on purpose: a model is sent its whole context again in every call. */
const CHARACTERS_PER_TOKEN = 4;
/** How often one use of a tool is reported on its way: asked for, begun, done, and once more when it turns out otherwise. */
const TOLD_PER_CALL = 4;

export class Account {
  readonly #rules: AccountRules;
  readonly #files = new Set<string>();
  #characters = { in: 0, out: 0 };
  #toolCalls = 0;
  #prompts = 0;
  #toolsDone = 0;
  #updates = 0;
  /** The sum of what each call of the model had in its context. */
  #updated = 0;
  /** The largest update of the call under way, and which call that is. */
  #open = { call: -1, used: 0 };
  #lastUpdate = 0;
  #cost: number | null = null;
  #costBefore = 0;
  #result: Tokens | null = null;
  #lastCall: Tokens | null = null;
  #told = 0;
  /** Usage of the turns before this one. */
  #earlier: Earlier = { in: 0, out: 0, usd: 0, calls: 0, tokens: "reported", cost: "reported" };
  readonly #reserve: Pick<Amounts, "tokens" | "cost_usd"> | null;

  /** `reserve` is what was set aside for the attempt: it is charged where a report is impossible. */
  constructor(rules: AccountRules, reserve: Pick<Amounts, "tokens" | "cost_usd"> | null = null) {
    this.#rules = rules;
    this.#reserve = reserve;
  }

  countPrompt(text: string): void {
    this.#prompts++;
    this.#characters.in += text.length;
    // A session that goes on reports its cost from its beginning.
    this.#costBefore = this.#cost ?? this.#costBefore;
    this.#cost = null;
    this.#updated = 0;
    this.#updates = 0;
    this.#open = { call: -1, used: 0 };
  }

  countOutput(text: string): void {
    this.#characters.out += text.length;
  }

  toolCalled(): void {
    this.#toolCalls++;
  }

  /** Counts a use that was reported to the log: a few for each call, unless an agent floods it. */
  toolTold(): void {
    this.#told++;
  }

  toolDone(): void {
    this.#toolsDone++;
  }

  countChange(path: string): void {
    this.#files.add(path);
  }

  update(used: number, cost: { readonly amount: number; readonly currency: string } | null): void {
    const count = saneCount(used) ?? 0;
    if (count > 0) {
      this.#countUpdate(count);
      this.#lastUpdate = count;
    }
    if (cost !== null && cost.currency === "USD" && saneCount(cost.amount) !== null) this.#cost = cost.amount;
  }

  /** Between two tool results there is one call of the model; what it reports meanwhile only grows. */
  #countUpdate(used: number): void {
    const sameCall = this.#rules.usage.updates === "within_call" && this.#open.call === this.#toolsDone;
    this.#updated += sameCall ? Math.max(0, used - this.#open.used) : used;
    if (!sameCall) this.#updates++;
    this.#open = { call: this.#toolsDone, used: sameCall ? Math.max(used, this.#open.used) : used };
  }

  /** The answer to a prompt, as it came: `usage` is not in the stable types and is sent all the same. */
  countAnswer(response: Readonly<Record<string, unknown>>): void {
    const usage = tokensIn(response["usage"]);
    const quota = tokensIn(at(response, "_meta", "quota", "token_count"));
    const { result } = this.#rules.usage;
    if (result === "quota" || (result === "turn" && usage === null)) this.#result = quota ?? usage;
    else if (result === "turn") this.#result = usage;
    else if (result === "last_call") this.#lastCall = usage;
  }

  /** The turn has ended and another one follows: what it used is added to the turns before it. */
  endTurn(): void {
    const { count, how } = this.tokens();
    const cost = this.cost();
    this.#earlier = { ...count, usd: cost.usd, calls: this.apiCalls(), tokens: how, cost: cost.how };
    this.#characters = { in: 0, out: 0 };
    this.#toolCalls = 0;
    this.#prompts = 0;
    this.#told = 0;
    this.#lastUpdate = 0;
    this.#result = null;
    this.#lastCall = null;
  }

  /** Tokens so far, and whether the agent said so itself. */
  tokens(): { readonly count: Tokens; readonly how: "reported" | "estimated" } {
    const { count, how } = this.#tokensOfTurn();
    const earlier = this.#earlier;
    const all = { in: earlier.in + count.in, out: earlier.out + count.out };
    return { count: all, how: earlier.tokens === "estimated" ? "estimated" : how };
  }

  #tokensOfTurn(): { readonly count: Tokens; readonly how: "reported" | "estimated" } {
    if (this.#result !== null) return { count: this.#result, how: "reported" };
    if (this.#countsCalls() && this.#updates > 0) return { count: { in: this.#updated, out: 0 }, how: "reported" };
    // Only the last call is known: the others were not larger, because a context only grows within a turn.
    const last = this.#lastCall ?? (this.#lastUpdate > 0 ? { in: this.#lastUpdate, out: 0 } : null);
    const calls = this.#callsOfTurn();
    const seen = { in: tokensOf(this.#characters.in), out: tokensOf(this.#characters.out) };
    if (last === null) return { count: seen, how: "estimated" };
    const count = { in: Math.max(last.in * calls, seen.in), out: Math.max(last.out * calls, seen.out) };
    return { count, how: "estimated" };
  }

  cost(): { readonly usd: number; readonly how: Earlier["cost"] } {
    const { usd, how } = this.#costOfTurn();
    const certaintyOf = (each: Earlier["cost"]) => COST_KNOWN.indexOf(each);
    const before = this.#earlier;
    return { usd: before.usd + usd, how: certaintyOf(before.cost) < certaintyOf(how) ? how : before.cost };
  }

  #costOfTurn(): { readonly usd: number; readonly how: Earlier["cost"] } {
    const reported = this.#cost === null ? null : Math.max(0, this.#cost - this.#costBefore);
    const { count, how } = this.#tokensOfTurn();
    const { price } = this.#rules;
    // An agent that reports zero for a model whose price it does not know has said nothing.
    if (this.#rules.reports_cost && reported !== null && (reported > 0 || (price !== null && isFree(price))))
      return { usd: reported, how: "reported" };
    if (price !== null)
      return { usd: priceTokens(count, price), how: how === "reported" || isFree(price) ? "priced" : "estimated" };
    return { usd: priceTokens(count, UNKNOWN_PRICE), how: "estimated" };
  }

  /** Every tool call is the answer of one call of the model, and the last word is one more. */
  apiCalls(): number {
    return this.#earlier.calls + this.#callsOfTurn();
  }

  #callsOfTurn(): number {
    const calls = Math.max(this.#toolCalls, Math.ceil(this.#told / TOLD_PER_CALL));
    const counted = calls + Math.max(1, this.#prompts);
    return this.#countsCalls() ? Math.max(counted, this.#updates) : counted;
  }

  #countsCalls(): boolean {
    return this.#rules.usage.updates === "each_call" || this.#rules.usage.updates === "within_call";
  }

  /** Describes reported usage that is impossible in so many minutes; null when all of it is possible. */
  describeImpossible(minutes: number): string | null {
    const { tokens, cost_usd } = this.#readReported();
    const within = `within ${Math.max(1, Math.round(minutes * 60))} s`;
    if (tokens > mostTokens(minutes)) return `${tokens} tokens ${within} are impossible`;
    if (cost_usd > mostCost(minutes, this.#rules.price)) return `$${cost_usd} ${within} are impossible`;
    return null;
  }

  #readReported(): Pick<Amounts, "tokens" | "cost_usd"> {
    const { count } = this.tokens();
    return { tokens: Math.max(1, count.in + count.out), cost_usd: this.cost().usd };
  }

  /**
   * Contract: costs and tokens are never zero, unless the agent is known to cost nothing; never more than is possible.
   * Where the report is impossible, what was set aside counts as used.
   */
  amounts(minutes: number): Amounts {
    const reported = this.#readReported();
    const { tokens, cost_usd } =
      this.describeImpossible(minutes) === null
        ? reported
        : {
            tokens: Math.min(this.#reserve?.tokens ?? Infinity, mostTokens(minutes)),
            cost_usd: Math.min(this.#reserve?.cost_usd ?? Infinity, mostCost(minutes, this.#rules.price)),
          };
    return {
      tokens,
      cost_usd,
      minutes,
      files: this.#files.size,
      commits: 0,
      api_calls: this.apiCalls(),
    };
  }

  usage(minutes: number): Usage {
    const { tokens, cost } = this.accounting();
    const known = tokens === "reported" && cost === "reported" && this.describeImpossible(minutes) === null;
    return { amounts: this.amounts(minutes), source: known ? "reported" : "estimated" };
  }

  accounting(): NonNullable<AgentEnding["accounting"]> {
    return { tokens: this.tokens().how, cost: this.cost().how };
  }
}

/** From what is known best to what is known least. */
const COST_KNOWN: readonly Earlier["cost"][] = ["reported", "priced", "estimated"];

const tokensOf = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

function at(value: unknown, ...keys: readonly string[]): unknown {
  let here: unknown = value;
  for (const key of keys) here = (here as Record<string, unknown> | null | undefined)?.[key];
  return here;
}

/** Token counts in any of the spellings agents use. Cached tokens were sent too. */
function tokensIn(value: unknown): Tokens | null {
  if (typeof value !== "object" || value === null) return null;
  const count = (...names: readonly string[]) => {
    const found = names.map((name) => (value as Record<string, unknown>)[name]).find((n) => typeof n === "number");
    return saneCount(found) ?? 0;
  };
  const input =
    count("inputTokens", "input_tokens") +
    count("cachedReadTokens", "cached_read_tokens") +
    count("cachedWriteTokens", "cached_write_tokens");
  const output = count("outputTokens", "output_tokens");
  const total = count("totalTokens", "total_tokens");
  if (input + output === 0 && total === 0) return null;
  return { in: Math.max(input, total - output), out: output };
}
