import type { AgentPreset } from "./agent-config.js";

/*
 * Which logins and keys belong to which program, and to whose address they are sent. This much a repository may name:
 * whatever else of a person's secrets goes anywhere, they say themselves.
 */

export interface KnownLogin {
  /** Below the person's home. */
  readonly files: readonly string[];
  /** Variables that hold a key of its upstream. */
  readonly keys: readonly string[];
  /** Where the program goes with its own login. */
  readonly hosts: readonly string[];
  /** Where a key is sent when it is added outside; null for a program without a model. */
  readonly upstream: string | null;
}

const OPENAI = { keys: ["OPENAI_API_KEY"], upstream: "https://api.openai.com" } as const;

export const KNOWN_LOGINS = {
  claude: {
    files: [".claude/.credentials.json", ".claude.json"],
    keys: ["ANTHROPIC_API_KEY"],
    hosts: ["api.anthropic.com"],
    upstream: "https://api.anthropic.com",
  },
  codex: { ...OPENAI, files: [".codex/auth.json"], hosts: ["chatgpt.com", "api.openai.com", "auth.openai.com"] },
  gemini: {
    files: [".gemini/oauth_creds.json"],
    keys: ["GEMINI_API_KEY"],
    hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
    upstream: "https://generativelanguage.googleapis.com",
  },
  opencode: { ...OPENAI, files: [".local/share/opencode/auth.json"], hosts: ["api.openai.com"] },
  goose: {
    ...OPENAI,
    files: [".config/goose/config.yaml", ".config/goose/secrets.yaml"],
    hosts: ["api.openai.com"],
  },
  // Its token for GitHub is not a key of the provider it is used with here, and must not be sent there.
  copilot: { ...OPENAI, files: [".copilot/config.json"], hosts: ["api.github.com", "api.githubcopilot.com"] },
  scripted: { files: [], keys: [], hosts: [], upstream: null },
} as const satisfies Readonly<Record<AgentPreset, KnownLogin>>;

/** Contract: true only for an address to which that variable's key belongs. */
export function belongsTo(key: string, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, username } = new URL(address);
  if (username !== "") return false;
  return Object.values<KnownLogin>(KNOWN_LOGINS).some(
    ({ keys, upstream }) => upstream === origin && keys.includes(key),
  );
}
