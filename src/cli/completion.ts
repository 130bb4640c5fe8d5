import type { Command, Option } from "commander";

/*
 * Completion of the command line for shells, derived from the declarations themselves: nothing is listed twice.
 * Pure: equal commands give equal scripts.
 */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** One command with everything that may follow it. */
interface Place {
  /** Its words, without the program's own; empty for the program. */
  readonly words: readonly string[];
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly { readonly flags: readonly string[]; readonly about: string }[];
  /** Options that take one of a few words. */
  readonly choices: readonly { readonly flag: string; readonly words: readonly string[] }[];
  /** Options that take anything else: what follows is most often a file. */
  readonly valued: readonly string[];
}

export function completionFor(shell: Shell, program: Command): string {
  const places = placesOf(program, [], program.options);
  const render = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
  return render(program.name(), places);
}

function placesOf(command: Command, words: readonly string[], shared: readonly Option[]): Place[] {
  const visible = command.createHelp().visibleCommands(command);
  const options = [...new Set([...command.options, ...shared])].filter(({ hidden }) => !hidden);
  const place: Place = {
    words,
    commands: visible.map((each) => ({ name: each.name(), about: each.summary() || each.description() })),
    options: options.map((option) => ({ flags: flagsOf(option), about: option.description })),
    choices: options.flatMap((option) =>
      flagsOf(option).flatMap((flag) => (option.argChoices === undefined ? [] : [{ flag, words: option.argChoices }])),
    ),
    valued: options
      .filter(({ required, optional, argChoices }) => (required || optional) && argChoices === undefined)
      .flatMap(flagsOf),
  };
  const inner = command.commands.flatMap((each) => placesOf(each, [...words, each.name()], shared));
  return [place, ...inner];
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined && flag !== null);
}

const quoteText = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const wordsOf = ({ commands, options }: Place) => [
  ...commands.map(({ name }) => name),
  ...options.flatMap(({ flags }) => flags),
];

/** The command that the words before the cursor have come to: known by walking over them, options passed by. */
function walk(places: readonly Place[]): string {
  const steps = places
    .filter(({ words }) => words.length > 0)
    .map(({ words }) => `      ${quoteText(["", ...words].join(" "))}) at="$at $word" ;;`);
  return `  for word in "\${before[@]}"; do
    case "$at $word" in
${steps.join("\n")}
    esac
  done`;
}

function cases(places: readonly Place[], give: (words: readonly string[]) => string): string {
  const values = places.flatMap(({ words, choices, valued }) => [
    ...choices.map(
      ({ flag, words: chosen }) =>
        `    ${quoteText(`${["", ...words].join(" ")}|${flag}`)}) ${give(chosen)}; return ;;`,
    ),
    ...(valued.length === 0
      ? []
      : [`    ${valued.map((flag) => quoteText(`${["", ...words].join(" ")}|${flag}`)).join("|")}) return ;;`]),
  ]);
  const names = places.map((place) => `    ${quoteText(["", ...place.words].join(" "))}) ${give(wordsOf(place))} ;;`);
  return `  case "$at|$previous" in
${values.join("\n")}
  esac
  case "$at" in
${names.join("\n")}
  esac`;
}

/** Files are completed where nothing else is known: `-o default`. */
function bashScript(name: string, places: readonly Place[]): string {
  return `# ${name}: completion for bash. Load it with: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at="" word
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
${walk(places)}
${cases(places, (words) => `mapfile -t COMPREPLY < <(compgen -W ${quoteText(words.join(" "))} -- "$current")`)}
}
complete -o default -F _${name} ${name}
`;
}

function zshScript(name: string, places: readonly Place[]): string {
  return `#compdef ${name}
# ${name}: completion for zsh. Load it with: source <(${name} completion zsh)
_${name}() {
  local previous="\${words[CURRENT-1]}" at="" word
  local before=("\${(@)words[2,CURRENT-1]}")
${walk(places)}
${cases(places, (words) => `compadd -- ${words.map(quoteText).join(" ")}`)}
  _files
}
compdef _${name} ${name}
`;
}

function fishScript(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ words, commands, options, choices, valued }) => {
    const [last] = words.slice(-1);
    const inside = words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const others = commands.map((each) => each.name).join(" ");
    const here = last === undefined ? "__fish_use_subcommand" : inside;
    const fresh = last === undefined ? here : `${inside}; and not __fish_seen_subcommand_from ${others}`;
    const chosen = new Map(choices.map(({ flag, words: each }) => [flag, each]));
    return [
      ...commands.map(
        (each) => `complete -c ${name} -f -n ${quoteText(fresh)} -a ${each.name} -d ${quoteText(each.about)}`,
      ),
      ...options.map(({ flags, about }) => {
        const spelled = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
        const own = flags.map((flag) => chosen.get(flag)).find((each) => each !== undefined);
        const takes =
          own === undefined
            ? flags.some((flag) => valued.includes(flag))
              ? " -r"
              : ""
            : ` -x -a ${quoteText(own.join(" "))}`;
        const where = last === undefined ? "" : ` -n ${quoteText(inside)}`;
        return `complete -c ${name}${where} ${spelled.join(" ")}${takes} -d ${quoteText(about)}`;
      }),
    ];
  });
  return `# ${name}: completion for fish. Keep it with: ${name} completion fish > ~/.config/fish/completions/${name}.fish
${lines.join("\n")}
`;
}
