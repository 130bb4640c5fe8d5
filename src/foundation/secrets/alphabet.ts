/* The sets of characters that the bodies of tokens are made of. */

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGIT = "0123456789";
const ALNUM = UPPER + LOWER + DIGIT;

export const ALPHABETS = {
  digit: DIGIT,
  hex: `${DIGIT}abcdef`,
  anyhex: `${DIGIT}abcdefABCDEF`,
  lower: LOWER,
  alpha: UPPER + LOWER,
  lowernum: LOWER + DIGIT,
  uppernum: UPPER + DIGIT,
  alnum: ALNUM,
  word: `${ALNUM}_`,
  base32: `${UPPER}234567`,
  bech32: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
  base58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  base64: `${ALNUM}+/`,
  base64url: `${ALNUM}_-`,
  escaped: `${ALNUM}+/%_.~-`,
  token: `${ALNUM}_.=-`,
  unreserved: `${ALNUM}_.~-`,
  token68: `${ALNUM}_.=~+/-`,
} as const;
export type AlphabetName = keyof typeof ALPHABETS;

const SETS = new Map(Object.entries(ALPHABETS).map(([name, letters]) => [name, bitmapOf(letters)] as const));

function bitmapOf(letters: string): Uint8Array {
  const bits = new Uint8Array(128);
  for (let i = 0; i < letters.length; i++) bits[letters.charCodeAt(i)] = 1;
  return bits;
}

export function findAlphabet(name: string): Uint8Array | undefined {
  return SETS.get(name);
}

/** Every character but these. */
export function allBut(letters: string): Uint8Array {
  const bits = new Uint8Array(65_536).fill(1);
  for (let i = 0; i < letters.length; i++) bits[letters.charCodeAt(i)] = 0;
  return bits;
}

/** Contract: total; false for what the alphabet does not hold and for positions outside of the text. */
export function isIn(alphabet: Uint8Array, code: number): boolean {
  return alphabet[code] === 1;
}

const WORD = bitmapOf(`${ALNUM}_`);

export function isWordCode(code: number): boolean {
  return WORD[code] === 1;
}
