import type { ChildScope, RoutingTool } from "../../model/routing.js";
import type { LimitSource, Scope, ScopeLimit, ToolKind } from "../../model/scope.js";
import { compilePaths } from "./paths.js";
import { type GrantedScope, withinHosts } from "./scope-of.js";

/*
 * The narrowest of several limits. The plan and the task say what work needs, the contract and the routing policy what it
 * may be given; an attempt gets what all of them permit, and each limit is kept with who set it.
 */

/** The tools of a routing policy, in the words of the Agent Client Protocol. Thinking changes nothing. */
const KINDS: Readonly<Partial<Record<RoutingTool, readonly ToolKind[]>>> = {
  run: ["execute"],
  edit: ["edit", "delete", "move"],
};

export function kindsOf(tools: readonly RoutingTool[]): ToolKind[] {
  return ["think", ...tools.flatMap((tool) => KINDS[tool] ?? (tool === "run" ? [] : [tool]))];
}

/**
 * A scope within what the routing policy lets a child do.
 *
 * Contract: pure; the result permits nothing that the scope or the policy does not. A write pattern that only overlaps
 * with those of the policy is left out: what both permit cannot be said by one of the two patterns.
 */
export function narrowScope(scope: Scope, child: ChildScope): Scope {
  const tools = sharedNames(scope.tools, kindsOf(child.tools));
  return {
    ...scope,
    tools,
    commands: tools.includes("execute") ? scope.commands : [],
    write: sharedPaths(scope.write, child.write),
    network: sharedHosts(scope.network, child.network),
    minutes: Math.min(scope.minutes, child.time_limit_ms / 60_000),
    output_bytes: Math.min(scope.output_bytes, child.max_output_bytes),
  };
}

type What = ScopeLimit["what"];
type Limits = { readonly [W in What]?: Scope[W] };

export interface LimitOffer {
  readonly by: LimitSource;
  readonly limits: Limits;
}

/** Returns the limits of a routing policy, as an offer. */
export function offerOf(child: ChildScope): LimitOffer {
  return {
    by: "routing policy",
    limits: {
      tools: kindsOf(child.tools),
      write: child.write,
      network: child.network,
      minutes: child.time_limit_ms / 60_000,
      output_bytes: child.max_output_bytes,
    },
  };
}

/** Lists the limits that the plan and the project request for a task. */
export function offerAskedLimits({ scope, asked }: GrantedScope, reached: Scope, tools: Scope["tools"]): LimitOffer[] {
  return [
    { by: "plan", limits: { write: asked.write, tools } },
    // Hosts that the project lets every task reach are within the contract: people agreed to each of them.
    reached.network.length > scope.network.length
      ? { by: "project", limits: { network: reached.network } }
      : { by: "plan", limits: { network: asked.network } },
  ];
}

const NUMBERS = ["minutes", "output_bytes"] as const;
const LISTS = ["tools", "write", "network"] as const;

/** Who set each limit of a scope. Contract: pure. Of equal limits the first one offered counts. */
export function limitsOf(offers: readonly LimitOffer[]): ScopeLimit[] {
  return [
    ...LISTS.flatMap((what) => smallestList(what, offers)),
    ...NUMBERS.flatMap((what) => smallestNumber(what, offers)),
  ];
}

function smallestNumber(what: (typeof NUMBERS)[number], offers: readonly LimitOffer[]): ScopeLimit[] {
  const all = offers.flatMap(({ by, limits }) => (limits[what] === undefined ? [] : [{ by, value: limits[what] }]));
  const least = all.reduce((one, next) => (next.value < one.value ? next : one), all[0] ?? { by: "task", value: 0 });
  return all.length === 0 ? [] : [{ what, ...least, others: all.filter((one) => one !== least) }];
}

function smallestList(what: (typeof LISTS)[number], offers: readonly LimitOffer[]): ScopeLimit[] {
  const all = offers.flatMap(({ by, limits }) => (limits[what] === undefined ? [] : [{ by, value: limits[what] }]));
  const [first, ...others] = all;
  if (first === undefined) return [];
  let decisive = first;
  let value: string[] = [...first.value];
  for (const offer of others) {
    const shared = SHARED[what](value, offer.value);
    if (shared.length !== value.length || shared.some((one) => !value.includes(one))) decisive = offer;
    value = shared;
  }
  const rest = all.filter((one) => one !== decisive).map((one) => ({ by: one.by, value: [...one.value] }));
  return [{ what, value, by: decisive.by, others: rest }];
}

function sharedNames<T extends string>(some: readonly T[], others: readonly T[]): T[] {
  return some.filter((one) => others.includes(one));
}

export function sharedPaths(some: readonly string[], others: readonly string[]): string[] {
  const within = (patterns: readonly string[]) => {
    const set = compilePaths(patterns);
    return (pattern: string) => (/[*?{]/.test(pattern) ? set.covers(pattern) : set.has(pattern));
  };
  const kept = some.filter(within(others));
  return [...new Set([...kept, ...others.filter(within(some))])].sort();
}

export function sharedHosts(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some.filter(withinHosts(others)), ...others.filter(withinHosts(some))])].sort();
}

const SHARED: Readonly<
  Record<(typeof LISTS)[number], (some: readonly string[], others: readonly string[]) => string[]>
> = { tools: sharedNames, write: sharedPaths, network: sharedHosts };
