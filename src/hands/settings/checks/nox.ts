import type { ProjectFiles } from "../detected-check.js";

/*
 * The commands in the sessions of nox, from `noxfile.py`: the texts in `session.run(…)` before what the caller passes on
 * (`*session.posargs`) and before options of nox. A command with a computed word is left out.
 */

export interface NoxCommand {
  readonly run: string;
  readonly because: string;
}

const HEAD = /^def\s+(\w+)\s*\(/;
const CALL = /\bsession\.run\(\s*((?:(?:"[^"\\\n]*"|'[^'\\\n]*')\s*,?\s*)+)(?=\)|\*|\w+\s*=)/g;

export async function noxCommands({ read }: Pick<ProjectFiles, "read">): Promise<NoxCommand[]> {
  const text = (await read("noxfile.py")) ?? "";
  return sessionsOf(text).flatMap(({ name, body }) =>
    [...body.matchAll(CALL)].map(([, words = ""]) => ({
      run: textsIn(words).join(" "),
      because: `noxfile.py ${name}`,
    })),
  );
}

interface Session {
  readonly name: string;
  readonly body: string;
}

/** The functions of the file with their text; comments are taken out, since a command in one is not run. */
function sessionsOf(text: string): Session[] {
  const found: { name: string; lines: string[] }[] = [];
  for (const line of text.split("\n").map((each) => each.replace(/^\s*#.*$/, ""))) {
    const [, name] = HEAD.exec(line) ?? [];
    if (name !== undefined) found.push({ name, lines: [line] });
    else found.at(-1)?.lines.push(line);
  }
  return found.map(({ name, lines }) => ({ name, body: lines.join("\n") }));
}

/** The words as a shell takes them. */
function textsIn(words: string): string[] {
  return [...words.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]) => {
    const word = double ?? single ?? "";
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  });
}
