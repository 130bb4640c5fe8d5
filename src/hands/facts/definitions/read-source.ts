import { languageOf } from "./languages.js";

/** Names in one source file: those it defines and the files it uses, as they are written there. */
export interface SourceNames {
  readonly names: readonly string[];
  readonly imports: readonly string[];
}

const MOST_NAMES = 2000;
const MOST_IMPORTS = 300;
const LONGEST_LINE = 2000;
/** Words of languages that look like a definition in the forms that are looked for. */
const KEYWORDS = new Set(
  "if for while switch catch return function with else do try new delete typeof await yield case in of and or not elif except lambda pass print sizeof defined".split(
    " ",
  ),
);

/** Contract: pure and total; each name once, in the order of its first definition. Minified text has no names. */
export function readSource(path: string, text: string): SourceNames {
  const language = languageOf(path);
  if (language === null || hasLongLine(text)) return { names: [], imports: [] };
  const names = new Set<string>();
  for (const form of language.definitions)
    for (const [, name = ""] of text.matchAll(form))
      if (name.length > 1 && name.length <= 80 && !KEYWORDS.has(name) && names.size < MOST_NAMES) names.add(name);
  const imports = new Set<string>();
  for (const form of language.imports)
    for (const [, name = ""] of text.matchAll(form))
      if (name !== "" && !/[\t\n\0]/.test(name) && imports.size < MOST_IMPORTS) imports.add(name);
  return { names: [...names], imports: [...imports] };
}

function hasLongLine(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    if (stop - at > LONGEST_LINE) return true;
    at = stop + 1;
  }
  return false;
}
