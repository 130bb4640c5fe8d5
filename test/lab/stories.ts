import type { Files, Story } from "./repository.js";

/* Random repositories and random parallel edits whose intent is known: every line that a side adds is like no other. */

export interface Told extends Story {
  /** The lines each side added, wherever they may have gone. */
  readonly added: { readonly ours: readonly string[]; readonly theirs: readonly string[] };
}

/** A generator that gives the same story for the same seed. */
export function tellStory(seed: number): Told {
  const random = generator(seed);
  const base = new Map<string, string>();
  const files = 1 + random(3);
  for (let f = 0; f < files; f++)
    base.set(
      `src/file${f}.ts`,
      lines(3 + random(12), (i) => `base ${f} ${i}`),
    );
  base.set("package.json", `${JSON.stringify({ name: "x", dependencies: { a: "1", m: "1", z: "1" } }, null, 2)}\n`);
  base.set("src/index.ts", 'import { a } from "./a.js";\n\nexport { a };\n');
  const ours = edit(base, "ours", random);
  const theirs = edit(base, "theirs", random);
  return {
    name: `s${seed}`,
    base,
    ours: ours.files,
    theirs: theirs.files,
    added: { ours: ours.added, theirs: theirs.added },
  };
}

type Random = (below: number) => number;

function edit(base: Files, side: string, random: Random): { files: Files; added: string[] } {
  const files = new Map(base);
  const added: string[] = [];
  for (let n = 1 + random(4); n > 0; n--) {
    const paths = [...files.keys()].filter((path) => path.startsWith("src/file"));
    const path = paths[random(paths.length)];
    const mark = `${side} ${n} ${random(1_000_000)}`;
    const kind = random(10);
    if (kind === 0) addKey(files, added, side, mark);
    else if (kind === 1) addImport(files, added, mark);
    else if (kind === 2) added.push(put(files, `src/new_${side}_${n}.ts`, `new ${mark}`));
    else if (path !== undefined) editFile(files, added, path, mark, kind, random);
  }
  return { files, added };
}

function editFile(
  files: Map<string, string>,
  added: string[],
  path: string,
  mark: string,
  kind: number,
  random: Random,
): void {
  const text = (files.get(path) as string).split("\n").slice(0, -1);
  const at = random(text.length + 1);
  switch (kind) {
    case 3:
      text.splice(Math.min(at, text.length - 1), 1);
      break;
    case 4:
      text[Math.min(at, text.length - 1)] = `changed ${mark}`;
      added.push(`changed ${mark}`);
      break;
    case 5: {
      const moved = text.splice(0, Math.min(2, text.length - 1));
      text.push(...moved);
      break;
    }
    case 6:
      files.delete(path);
      files.set(path.replace("file", "moved"), `${text.join("\n")}\n`);
      return;
    case 7:
      if (files.size > 4) files.delete(path);
      return;
    case 8:
      text.push(`end ${mark}`);
      added.push(`end ${mark}`);
      break;
    default:
      text.splice(at, 0, `added ${mark}`);
      added.push(`added ${mark}`);
  }
  files.set(path, text.length === 0 ? "" : `${text.join("\n")}\n`);
}

function addKey(files: Map<string, string>, added: string[], side: string, mark: string): void {
  const value = JSON.parse(files.get("package.json") as string) as { dependencies: Record<string, string> };
  value.dependencies[`dep-${mark.replaceAll(" ", "-")}`] = side;
  files.set("package.json", `${JSON.stringify(value, null, 2)}\n`);
  added.push(`dep-${mark.replaceAll(" ", "-")}`);
}

function addImport(files: Map<string, string>, added: string[], mark: string): void {
  const line = `import "./${mark.replaceAll(" ", "_")}.js";`;
  const [first, ...rest] = (files.get("src/index.ts") as string).split("\n");
  files.set("src/index.ts", [first, line, ...rest].join("\n"));
  added.push(line);
}

function put(files: Map<string, string>, path: string, line: string): string {
  files.set(path, `${line}\n`);
  return line;
}

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${line(i)}\n`).join("");
}

function generator(seed: number): Random {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
