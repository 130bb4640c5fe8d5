/** The amounts that a run is counted and limited in. Apart from the schemas: reading a log loads none of them. */
export const AMOUNTS = ["tokens", "cost_usd", "minutes", "files", "commits", "api_calls"] as const;
export type AmountName = (typeof AMOUNTS)[number];

/** A budget this large is not a limit: plans do not limit everything a ledger can count. */
export const UNLIMITED = 1e12;
