/* A command line of a shell, as far as it can be understood without one. Pure. */

/** The parts of `a && b && c`; null when it is more than that, and only a shell knows what it does. */
export function splitCommand(line: string): string[] | null {
  const parts: string[] = [];
  let part = "";
  let quote: string | null = null;
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (quote !== null) {
      if (character === quote) quote = null;
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "\\") part += line.charAt(i++);
    else if (character === "&" && line.charAt(i + 1) === "&") {
      parts.push(part);
      part = "";
      i++;
      continue;
    } else if (";|&()<>`\n".includes(character) || (character === "$" && line.charAt(i + 1) === "(")) return null;
    part += line.charAt(i);
  }
  if (quote !== null) return null;
  const all = [...parts, part].map((each) => each.trim());
  return all.some((each) => each === "") ? null : all;
}

export interface Called {
  /** `A=b C=d `, or nothing. */
  readonly variables: string;
  readonly words: readonly string[];
}

/** A simple command: variables that are set for it, then its words. */
export function readSimpleCommand(command: string): Called {
  const [variables = ""] = /^(?:\w+=(?:"[^"]*"|'[^']*'|[^\s"']*)\s+)*/.exec(command) ?? [];
  return { variables, words: command.slice(variables.length).trim().split(/\s+/) };
}
