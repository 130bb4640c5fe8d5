/*
 * How the scripted agent behaves towards its client. Each profile is one real agent as it was seen; `plain` is one that
 * does everything as the protocol means it.
 */
export interface Profile {
  /** Modes it offers, the first being the one it starts in. It asks in those marked so. */
  readonly modes: readonly { readonly id: string; readonly asks: boolean }[];
  /** Where the path of an edit is to be found before it happens. */
  readonly path_in_call: readonly ("diff" | "locations" | "raw")[];
  readonly path_in_permission: readonly ("diff" | "locations" | "raw" | "patch")[];
  /** Says `in_progress` before it asks. */
  readonly early_progress: boolean;
  readonly announces_call: boolean;
  /** Calls every tool `other` until it is done. */
  readonly kind_other: boolean;
  readonly on_reject: "again" | "end_turn" | "cancelled";
  readonly hears_cancel: boolean;
  readonly usage_updates: "each_call" | "within_call" | "turn_end" | "none";
  readonly result_usage: "turn" | "last_call" | "quota" | "none";
  readonly reports_cost: boolean;
  readonly resume: boolean;
  readonly load: boolean;
  /** Whether it takes images in a prompt. */
  readonly images: boolean;
  /** Further options of a session. */
  readonly options: readonly { readonly id: string; readonly value: string }[];
  /** Where the mode is reported and set. */
  readonly mode_by: "modes" | "option";
}

const plain: Profile = {
  modes: [
    { id: "ask", asks: true },
    { id: "auto", asks: false },
  ],
  path_in_call: ["diff", "locations", "raw"],
  path_in_permission: ["diff", "locations", "raw"],
  early_progress: false,
  announces_call: true,
  kind_other: false,
  on_reject: "again",
  hears_cancel: true,
  usage_updates: "each_call",
  result_usage: "turn",
  reports_cost: true,
  resume: true,
  load: true,
  images: true,
  options: [],
  mode_by: "modes",
};

export const PROFILES = {
  plain,
  claude: {
    ...plain,
    modes: [
      { id: "default", asks: true },
      { id: "acceptEdits", asks: false },
    ],
    path_in_call: ["diff", "locations"],
    path_in_permission: ["diff", "locations"],
    usage_updates: "within_call",
    mode_by: "option",
  },
  codex: {
    ...plain,
    modes: [
      { id: "agent", asks: false },
      { id: "read-only", asks: true },
    ],
    path_in_call: ["diff"],
    path_in_permission: ["locations"],
    early_progress: true,
    on_reject: "cancelled",
    reports_cost: false,
    mode_by: "option",
  },
  opencode: {
    ...plain,
    modes: [{ id: "build", asks: true }],
    path_in_call: ["locations", "raw"],
    early_progress: true,
    on_reject: "end_turn",
    usage_updates: "turn_end",
    result_usage: "last_call",
    mode_by: "option",
  },
  gemini: {
    ...plain,
    modes: [
      { id: "default", asks: true },
      { id: "yolo", asks: false },
    ],
    announces_call: false,
    path_in_permission: ["diff", "locations"],
    usage_updates: "none",
    result_usage: "quota",
    reports_cost: false,
    resume: false,
    load: false,
    images: false,
  },
  copilot: {
    ...plain,
    modes: [{ id: "agent", asks: true }],
    path_in_permission: ["patch"],
    on_reject: "end_turn",
    reports_cost: false,
    resume: false,
    options: [{ id: "allow_all", value: "on" }],
    mode_by: "option",
  },
  goose: {
    ...plain,
    modes: [
      { id: "auto", asks: false },
      { id: "approve", asks: true },
    ],
    path_in_call: ["raw"],
    path_in_permission: ["raw"],
    kind_other: true,
    hears_cancel: false,
    usage_updates: "turn_end",
    result_usage: "last_call",
    reports_cost: false,
    resume: false,
  },
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;

export function isProfile(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}
