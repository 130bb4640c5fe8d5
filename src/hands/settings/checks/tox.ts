import type { ProjectFiles } from "../detected-check.js";

/* The commands in the environments of tox, from `tox.ini` or `pyproject.toml`. Values that tox fills in by itself are taken out. */

export interface ToxCommand {
  readonly run: string;
  readonly because: string;
}

export async function toxCommands({ read }: Pick<ProjectFiles, "read">): Promise<ToxCommand[]> {
  return [...fromIni((await read("tox.ini")) ?? ""), ...fromToml((await read("pyproject.toml")) ?? "")];
}

function fromIni(text: string): ToxCommand[] {
  return sectionsOf(text, /^\[testenv(?::([^\]]+))?\]\s*$/).flatMap(({ name, body }) => {
    const [, commands = ""] = /^commands\s*=\s*(.*(?:\n[ \t]+.*)*)/m.exec(body) ?? [];
    return (
      commands
        .replaceAll(/\\\n\s*/g, " ")
        .split("\n")
        // `tests: pytest` is run in environments whose name has that word.
        .flatMap((line) =>
          plain(
            line
              .trim()
              .replace(/^[\w!,.{}-]+:\s+/, "")
              .replace(/^-\s*/, ""),
          ),
        )
        .map((run) => ({ run, because: `tox.ini [testenv${name === "" ? "" : `:${name}`}]` }))
    );
  });
}

function fromToml(text: string): ToxCommand[] {
  const legacy = /legacy_tox_ini\s*=\s*"""([\s\S]*?)"""/.exec(text)?.[1];
  if (legacy !== undefined) return fromIni(legacy);
  return sectionsOf(text, /^\[tool\.tox\.(env_run_base|env\.[^\]]+)\]\s*$/).flatMap(({ name, body }) => {
    const [, commands = ""] = /^commands\s*=\s*\[([\s\S]*?)^\]|^commands\s*=\s*\[(.*)\]\s*$/m.exec(body) ?? [];
    const inline = /^commands\s*=\s*\[(\[.*\])\]\s*$/m.exec(body)?.[1] ?? commands;
    return [...inline.matchAll(/\[((?:\s*"[^"]*"\s*,?)+)/g)]
      .map(([, words = ""]) => [...words.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word).join(" "))
      .flatMap(plain)
      .map((run) => ({ run, because: `pyproject.toml [tool.tox.${name}]` }));
  });
}

interface Section {
  readonly name: string;
  readonly body: string;
}

function sectionsOf(text: string, head: RegExp): Section[] {
  const found: { name: string; lines: string[] }[] = [];
  let current: { name: string; lines: string[] } | null = null;
  for (const line of text.split("\n")) {
    const match = head.exec(line);
    if (match !== null) found.push((current = { name: match[1] ?? "", lines: [] }));
    else if (line.startsWith("[") && !/^\[\[?\s*["{]/.test(line)) current = null;
    else current?.lines.push(line);
  }
  return found.map(({ name, lines }) => ({ name, body: lines.join("\n") }));
}

/** Without what tox fills in; a command that is nothing without it is left out. */
function plain(line: string): string[] {
  const text = line
    .replaceAll(/\{posargs(?::[^}]*)?\}/g, "")
    .replaceAll(/\{envpython\}/g, "python3")
    .replaceAll(/--\S+=\{[^}]*\}/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text === "" || /[{}]/.test(text) ? [] : [text];
}
