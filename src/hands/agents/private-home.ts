import type { SandboxedCommand } from "../sandbox/sandbox.js";

/*
 * The home of an agent is made with its sandbox and is empty. The files it must find there are written by the same process that
 * then becomes the agent: texts go through variables that are gone again before it starts.
 */

const PREFIX = "COORDINATOR_FILE_";

export function withFiles(
  command: SandboxedCommand,
  files: readonly { path: string; text: string }[],
): SandboxedCommand {
  if (files.length === 0) return command;
  const lines = files.map(({ path }, i) => {
    const target = `"$HOME"/${quoteText(path)}`;
    return `mkdir -p -- "$(dirname -- ${target})" && printf %s "$${PREFIX}${i}" > ${target} && unset ${PREFIX}${i}`;
  });
  const script = `${lines.join(" && ")} && exec "$@"`;
  const texts = Object.fromEntries(files.map(({ text }, i) => [`${PREFIX}${i}`, text]));
  return { ...command, argv: ["/bin/sh", "-c", script, "agent", ...command.argv], env: { ...command.env, ...texts } };
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
