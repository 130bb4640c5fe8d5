/*
 * Texts that nobody wrote, in ten scripts, for tests of what must answer for any text. They are the same on every machine.
 */

/** First and last letter of each script. */
const SCRIPTS: readonly (readonly [string, number, number])[] = [
  ["Latin", 0x41, 0x17f],
  ["Cyrillic", 0x410, 0x44f],
  ["Greek", 0x391, 0x3c9],
  ["Arabic", 0x621, 0x64a],
  ["Hebrew", 0x5d0, 0x5ea],
  ["Devanagari", 0x905, 0x94d],
  ["Thai", 0xe01, 0xe4e],
  ["Han", 0x4e00, 0x9fa5],
  ["kana", 0x3041, 0x30fa],
  ["Hangul", 0xac00, 0xd7a3],
];

/** Characters between the letters: marks of Markdown, emoji, combining marks, halves of surrogate pairs, control characters. */
const AROUND = [
  " ",
  " ",
  "\n",
  "\n\n",
  "`",
  "```\n",
  "> ",
  "--",
  "/",
  ".",
  ":",
  "?",
  "(",
  "_",
  "**",
  "\n# ",
  "\n## Decision\n\n",
  "\n- ",
  "\n- [ ] ",
  "\n1. ",
  "| a |\n",
  "👩‍💻",
  "🏳️‍🌈",
  "\u0301\u0301",
  "\u20dd",
  "\uD83D",
  "\uDC00",
  "\u0000",
  "\u0007",
  "\u001b[31m",
  "\u200b",
  "\u202e",
  "\u2028",
  "\uFEFF",
  "\r",
  "\r\n",
];

const PER_SCRIPT = 200;
/** One text in so many has a line of thousands of letters. */
const LONG_EVERY = 50;

/** The name of each script with its 200 texts: 2,000 in all. */
export function textsInScripts(): readonly (readonly [string, readonly string[]])[] {
  return SCRIPTS.map(([name, first, last]) => [name, textsOf(first, last)]);
}

function textsOf(first: number, last: number): readonly string[] {
  const choose = chooser(first);
  const letter = () => String.fromCharCode(first + choose(last - first + 1));
  return Array.from({ length: PER_SCRIPT }, (_, n) => {
    let text = "";
    for (let length = choose(120); length > 0; length--)
      text += choose(4) === 0 ? (AROUND[choose(AROUND.length)] ?? "") : letter();
    return n % LONG_EVERY === 0 ? text + `${letter()}${letter()} `.repeat(2_000) : text;
  });
}

/** Creates a chooser with equal numbers on every run. */
function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
