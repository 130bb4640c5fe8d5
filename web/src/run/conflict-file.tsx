import { useState } from "react";
import { plural } from "../format.ts";
import { Empty } from "../parts/states.tsx";
import type { ConflictShown } from "../types.ts";

interface FileProps {
  readonly file: ConflictShown["files"][number];
  readonly task: string;
  /** How the conflict ended; null while it has not. */
  readonly taken: boolean | null;
}

/** One file of a conflict: its base, both sides and the result. Lines at the ends that all of them share are left out. */
export function ConflictFile({ file: { path, base, branch, task: own, result }, task, taken }: FileProps) {
  const [isWhole, setWhole] = useState(false);
  const texts = [base, branch, own, result].map((text) => text?.split("\n") ?? null);
  const [baseLines = null, branchLines = null, ownLines = null, resultLines = null] = texts;
  const shared = sharedEnds(texts.flatMap((lines) => (lines === null ? [] : [lines])));
  const isCut = shared.head + shared.tail > 0;
  const ends = isWhole ? NO_ENDS : shared;
  const knownToBase = baseLines === null ? null : new Set(baseLines);
  const keptByResult = resultLines === null ? null : new Set(resultLines);
  const isAdded = (line: string) => knownToBase !== null && !knownToBase.has(line);
  const isRemoved = (line: string) => keptByResult !== null && !keptByResult.has(line);
  const none = taken === null ? "There is no result yet." : undefined;
  return (
    <div className="conflict">
      <div className="heading">
        <h4>
          <code>{path}</code>
        </h4>
        {isCut && (
          <button type="button" className="plain" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show the conflict only" : "Show the whole file"}
          </button>
        )}
      </div>
      <div className="sides">
        <Side name="Base" note="before both" lines={baseLines} ends={ends} marked={isRemoved} sign="-" />
        <Side name="Branch" note="what was merged first" lines={branchLines} ends={ends} marked={isAdded} sign="+" />
        <Side name="Task" note={`what ${task} made`} lines={ownLines} ends={ends} marked={isAdded} sign="+" />
        <Side
          name="Result"
          note={taken === false ? "what was proposed" : "what was taken"}
          lines={resultLines}
          ends={ends}
          marked={isAdded}
          sign="+"
          none={none}
        />
      </div>
    </div>
  );
}

/** How many lines are left out at the beginning and at the end. */
interface Ends {
  readonly head: number;
  readonly tail: number;
}

const NO_ENDS: Ends = { head: 0, tail: 0 };
/** So many lines are shown around what differs. */
const AROUND = 3;

/** The lines that all versions begin and end with, without those that are shown around the rest. */
function sharedEnds(versions: readonly (readonly string[])[]): Ends {
  const [first, ...others] = versions;
  if (first === undefined || others.length === 0) return NO_ENDS;
  const least = Math.min(...versions.map(({ length }) => length));
  const isShared = (index: number) => versions.every((lines) => lines.at(index) === first.at(index));
  let head = 0;
  while (head < least && isShared(head)) head++;
  let tail = 0;
  while (tail < least - head && isShared(-1 - tail)) tail++;
  return { head: Math.max(0, head - AROUND), tail: Math.max(0, tail - AROUND) };
}

interface SideProps {
  readonly name: string;
  readonly note: string;
  readonly lines: readonly string[] | null;
  readonly ends: Ends;
  /** Lines with a sign and a colour. */
  readonly marked: (line: string) => boolean;
  readonly sign: "+" | "-";
  /** Why there is nothing to show. */
  readonly none?: string | undefined;
}

function Side({ name, note, lines, ends: { head, tail }, marked, sign, none }: SideProps) {
  return (
    <figure className="side">
      <figcaption>
        <strong>{name}</strong> <span className="quiet">{note}</span>
      </figcaption>
      {lines === null ? (
        <Empty>{none ?? "The file is not there, or it is too large or not text."}</Empty>
      ) : (
        <div className="diff" role="region" aria-label={`${name} of the file`} tabIndex={0}>
          {head > 0 && <div className="hunk">⋯ {plural(head, "line")} before, the same in all</div>}
          {lines.slice(head, lines.length - tail).map((line, index) => (
            // Lines have no names of their own, and their order never changes.
            <div key={index} className={marked(line) ? (sign === "+" ? "added" : "removed") : "same"}>
              {marked(line) ? sign : " "}
              {line}
            </div>
          ))}
          {tail > 0 && <div className="hunk">⋯ {plural(tail, "line")} after, the same in all</div>}
        </div>
      )}
    </figure>
  );
}
