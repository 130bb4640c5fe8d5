/*
 * Chance that can be replayed: numbers that follow from a seed and a key alone. Not for secrets.
 */

/** 32 bits of a text: FNV-1a over its UTF-16 units, then mixed so that near texts lie far apart. */
export function hash32(text: string, basis = 0): number {
  let hash = (0x811c9dc5 ^ basis) >>> 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return mix(hash);
}

/**
 * A generator of numbers in [0, 1), the same for the same seed and key on every machine (splitmix32).
 *
 * Each use takes its own key, so that one more draw in one place changes nothing in another.
 */
export function seededRandom(seed: number, key: string): () => number {
  const low = seed >>> 0;
  const high = Math.floor(seed / 0x1_0000_0000) >>> 0;
  let state = hash32(key, mix(low ^ mix(high)));
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state) / 0x1_0000_0000;
  };
}

function mix(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
