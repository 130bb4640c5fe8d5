/* Reads a target of a makefile: the lines it runs, and the files it takes in. */

interface Rule {
  readonly targets: readonly string[];
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

export interface Makefile {
  readonly includes: readonly string[];
  /** The lines that are run for these targets and for all they need; for the first target when none is named. */
  readonly linesFor: (targets: readonly string[]) => readonly string[];
}

/** Contract: pure and total; variables are replaced where the file itself sets them, and left as they are elsewhere. */
export function readMakefile(text: string): Makefile {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  const variables = variablesOf(lines);
  const expand = (line: string) =>
    line.replaceAll(/\$[({](\w+)[)}]/g, (whole, name: string) => variables.get(name) ?? whole);
  const rules = rulesOf(lines, expand);
  const first = rules.find(({ targets }) => targets.some((name) => !name.startsWith(".")))?.targets[0];
  return {
    includes: lines.flatMap((line) => /^-?s?include\s+(.+)$/.exec(line)?.[1]?.trim().split(/\s+/).map(expand) ?? []),
    linesFor: (targets) => {
      const wanted = targets.length > 0 ? [...targets] : first === undefined ? [] : [first];
      const seen = new Set<string>();
      const found: string[] = [];
      for (let target = wanted.pop(); target !== undefined; target = wanted.pop()) {
        if (seen.has(target)) continue;
        seen.add(target);
        for (const rule of rules)
          if (rule.targets.includes(target)) {
            wanted.push(...rule.needs);
            found.push(...rule.lines);
          }
      }
      return found;
    },
  };
}

function variablesOf(lines: readonly string[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^(?:export\s+)?(\w+)\s*[:?+]?=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined && !value.includes("$(")) variables.set(name, value.trim());
  }
  return variables;
}

function rulesOf(lines: readonly string[], expand: (line: string) => string): Rule[] {
  const rules: { targets: string[]; needs: string[]; lines: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith("\t")) {
      rules.at(-1)?.lines.push(expand(line.trim().replace(/^[@+-]+/, "")));
      continue;
    }
    const [, targets, needs = "", first] = /^([^\s#:=][^:=]*):(?!=)([^;=]*)(?:;(.*))?$/.exec(line) ?? [];
    if (targets === undefined) continue;
    const words = (some: string) => expand(some).trim().split(/\s+/).filter(Boolean);
    rules.push({ targets: words(targets), needs: words(needs), lines: first === undefined ? [] : [expand(first)] });
  }
  return rules;
}
