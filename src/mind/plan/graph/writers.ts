import { globPrefix, globsOverlap } from "../../../foundation/globs/glob.js";

/** Who wrote where: the last writers of every path, kept so that each new writer meets only those it may clash with. */
export class Writers {
  readonly #tries = new Map<string, Place>();
  /**
   * How often two patterns may still be compared exactly. When it is used up, patterns under one directory count as
   * overlapping: a plan of hostile size gets an edge too many rather than a build that never ends.
   */
  #exact: number;

  constructor(exactComparisons: number) {
    this.#exact = exactComparisons;
  }

  /** Record that `writer` writes `pattern`; returns the earlier writers it must come after. */
  add(writer: number, pattern: string): Written[] {
    const written: Written = { writer, pattern };
    const isGlob = WILDCARD.test(pattern) || pattern.endsWith("/");
    const directory = isGlob ? segmentsOf(globPrefix(pattern)) : segmentsOf(pattern);
    const kind = isGlob ? globExtension(pattern) : extension(pattern);
    const clashes: Written[] = [];
    for (const [other, root] of this.#tries) {
      if (kind !== ANY && other !== ANY && kind !== other) continue;
      const end = this.#collectAbove(root, directory, written, clashes);
      if (end === undefined) continue;
      if (isGlob) {
        this.#collectBelow(end, written, clashes);
        // Writers that were forgotten below without a comparison are represented here, which all that go there pass.
        if (this.#exact <= 0 && other !== kind && !end.globs?.includes(written)) (end.globs ??= []).push(written);
      } else end.files = this.#meet(end.files, written, clashes, false);
    }
    const place = this.#placeOf(kind, directory);
    (isGlob ? (place.globs ??= []) : (place.files ??= [])).push(written);
    return clashes;
  }

  /** Globs of the directories above, which may match the new path; returns the place itself, if it exists. */
  #collectAbove(root: Place, directory: readonly string[], written: Written, clashes: Written[]): Place | undefined {
    let place: Place | undefined = root;
    place.globs = this.#meet(place.globs, written, clashes, true);
    for (const segment of directory) {
      place = place.children?.get(segment);
      if (place === undefined) return undefined;
      place.globs = this.#meet(place.globs, written, clashes, true);
    }
    return place;
  }

  #collectBelow(place: Place, written: Written, clashes: Written[]): void {
    place.files = this.#meet(place.files, written, clashes, false);
    if (place.children === undefined) return;
    for (const [segment, child] of place.children) {
      child.globs = this.#meet(child.globs, written, clashes, false);
      this.#collectBelow(child, written, clashes);
      // Writers that the new glob has met come after it from now on, so an emptied place need not be visited again.
      if (isEmpty(child)) place.children.delete(segment);
    }
  }

  /** The writers of `earlier` that still count beside the new writer. The ones it meets are added to `clashes`. */
  #meet(
    earlier: Written[] | undefined,
    written: Written,
    clashes: Written[],
    standsHere: boolean,
  ): Written[] | undefined {
    if (earlier === undefined) return undefined;
    if (this.#exact <= 0) {
      // Coming after all of them, the new writer can stand for all of them: later ones need only follow it. It must
      // be met where they were: here, or on the way here.
      clashes.push(...earlier);
      return standsHere ? [written] : undefined;
    }
    const kept = earlier.filter((other) => {
      if (other.pattern !== written.pattern && this.#exact-- > 0 && !globsOverlap(other.pattern, written.pattern))
        return true;
      clashes.push(other);
      // INVARIANT: an earlier writer is forgotten only when anyone who meets it would meet the new one too.
      return other.pattern !== written.pattern && WILDCARD.test(other.pattern);
    });
    return kept.length === 0 ? undefined : kept;
  }

  #placeOf(kind: string, directory: readonly string[]): Place {
    let place = this.#tries.get(kind);
    if (place === undefined) this.#tries.set(kind, (place = {}));
    for (const segment of directory) {
      const children: Map<string, Place> = (place.children ??= new Map());
      let child: Place | undefined = children.get(segment);
      if (child === undefined) children.set(segment, (child = {}));
      place = child;
    }
    return place;
  }
}

export interface Written {
  readonly writer: number;
  readonly pattern: string;
}

interface Place {
  children?: Map<string, Place>;
  files?: Written[] | undefined;
  globs?: Written[] | undefined;
}

const ANY = "*";
const WILDCARD = /[*?{]/;

function isEmpty({ children, files, globs }: Place): boolean {
  return files === undefined && globs === undefined && (children === undefined || children.size === 0);
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function extension(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 && path.length - dot <= 8 ? path.slice(dot) : "";
}

/** The ending every match of a glob has, when it has one. */
function globExtension(pattern: string): string {
  const ending = extension(pattern);
  return ending === "" || WILDCARD.test(ending) || pattern.includes("}") ? ANY : ending;
}
