/** Options of every command. */
export interface Globals {
  readonly json: boolean;
  readonly color: boolean;
}

interface Host {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: { readonly isTTY?: boolean };
}

/**
 * Read the options of output straight from the arguments: a usage error has to be shown in the right form, too,
 * and by then no parser has understood them.
 */
export function readGlobals(argv: readonly string[], host: Host): Globals {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return { json: options.includes("--json"), color: wantsColor(colorOption(options), host) };
}

function colorOption(options: readonly string[]): string {
  const at = options.findLastIndex((option) => option === "--color" || option.startsWith("--color="));
  if (at === -1) return "auto";
  const option = options[at] ?? "";
  return option.startsWith("--color=") ? option.slice("--color=".length) : (options[at + 1] ?? "auto");
}

/** The flag decides; then NO_COLOR, FORCE_COLOR, and at last whether a person is looking at a terminal that can. */
function wantsColor(option: string, { env, stdout }: Host): boolean {
  if (option === "always") return true;
  if (option === "never") return false;
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return stdout.isTTY === true && env["TERM"] !== "dumb" && (env["CI"] ?? "") === "";
}
