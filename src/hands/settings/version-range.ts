/*
 * Whether a version is in a range, as manifests write them: npm's (`^18 || >=20.5`, `20.x`), Python's (`>=3.9,<4`,
 * `~=3.10`, `!=3.9.1`), Go's and Rust's least version (`1.23`). Pure.
 */

type Version = readonly [number, number, number];

/** Null when the range is in no form that is known: nothing can be said then. */
export function isInRange(version: string, range: string): boolean | null {
  const have = versionIn(version);
  if (have === null) return null;
  const ways = range.split("||").map((way) => allOf(have, way));
  if (ways.includes(true)) return true;
  return ways.includes(null) ? null : false;
}

function allOf(have: Version, way: string): boolean | null {
  const text = way.trim().replaceAll(/([<>=~^!]=?|===)\s+/g, "$1");
  const [, from, to] = /^([\d.]+)\s+-\s+([\d.]+)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return allOf(have, `>=${from} <=${to}`);
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  const found = parts.map((part) => holds(have, part));
  if (found.includes(false)) return false;
  return found.includes(null) ? null : true;
}

function holds(have: Version, part: string): boolean | null {
  if (/^[*xX]$/.test(part)) return true;
  const [, operator = "", digits = ""] =
    /^(>=|<=|===?|!=|~=|>|<|\^|~|=|v)?v?(\d+(?:\.(?:\d+|[*xX]))*)/.exec(part) ?? [];
  const named = digits.split(".").filter((piece) => /^\d+$/.test(piece));
  const wanted = versionIn(named.join("."));
  if (wanted === null) return null;
  const order = compareVersions(have, wanted);
  const same = named.every((piece, i) => Number(piece) === have[i]);
  switch (operator) {
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0 || same;
    case ">":
      return order > 0 && !same;
    case "<":
      return order < 0;
    case "!=":
      return !same;
    case "^":
      return (
        order >= 0 &&
        sameUntil(
          have,
          wanted,
          Math.max(
            0,
            wanted.findIndex((piece) => piece > 0),
          ),
        )
      );
    case "~":
      return order >= 0 && sameUntil(have, wanted, named.length === 1 ? 0 : 1);
    case "~=":
      return order >= 0 && sameUntil(have, wanted, Math.max(0, named.length - 2));
    default:
      return same;
  }
}

const sameUntil = (a: Version, b: Version, last: number) => a.slice(0, last + 1).every((piece, i) => piece === b[i]);

function compareVersions(a: Version, b: Version): number {
  const at = a.findIndex((piece, i) => piece !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The first version in a text. */
function versionIn(text: string): Version | null {
  const found = /\d+(?:\.\d+)*/.exec(text)?.[0]?.split(".").map(Number);
  return found === undefined ? null : [found[0] ?? 0, found[1] ?? 0, found[2] ?? 0];
}
