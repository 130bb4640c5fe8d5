import type { Block } from "../../foundation/markdown/blocks.js";
import type { Role } from "./headings.js";
import { sentencesOf } from "./sentences.js";
import type { Section } from "./sections.js";

/*
 * The units that a record is judged by: its entries, the sentences of its prose, and the rows of its tables, each with what stands
 * around it. Which of them ask for work is decided elsewhere.
 */

/** One thing that a record says, as it is written. */
export interface Unit {
  readonly kind: "item" | "sentence" | "row";
  readonly text: string;
  /** Further paragraphs under an entry. Smaller entries are units of their own. */
  readonly details: string[];
  readonly section: Section;
  readonly line: number;
  /** The list, paragraph or table it stands in, counted over the record. */
  readonly group: number;
  /** Its place in that group, from 0, and how many there are in it. */
  readonly place: number;
  size: number;
  /** The sentence that a list or table follows; empty when there is none. */
  readonly intro: string;
  /** The entry it stands under. */
  readonly parent: Unit | null;
  readonly depth: number;
  readonly ordered: boolean;
  readonly ticked: boolean | null;
}

/** Sections that never ask for work, whatever their sentences sound like. */
const SILENT: ReadonlySet<Role | null> = new Set<Role | null>(["context", "options", "reasons", "status", "links"]);

/** A record that says more than this is a book. */
const MOST_UNITS = 2_000;

/**
 * The units of a record that may ask for work, in its order: what is weighed, and what a model is fitted to.
 *
 * Contract: pure and total; linear.
 */
export function speakingUnits(sections: readonly Section[]): readonly Unit[] {
  return unitsOf(sections)
    .filter(({ section }) => !SILENT.has(section.role))
    .slice(0, MOST_UNITS);
}

function unitsOf(sections: readonly Section[]): readonly Unit[] {
  const reader = new UnitReader();
  for (const section of sections) reader.read(section);
  return reader.units;
}

class UnitReader {
  readonly units: Unit[] = [];
  #groups = 0;

  read(section: Section): void {
    let intro = "";
    let open: Unit[] = [];
    let group: Unit[] = [];
    const close = () => {
      for (const unit of group) unit.size = group.length;
      group = [];
      open = [];
    };
    for (const block of section.blocks) {
      if (block.kind === "item") {
        if (group.length === 0) this.#groups++;
        open = open.slice(0, block.depth);
        const parent = open.at(-1) ?? null;
        const unit = this.#add({ section, ...block, intro, parent, place: group.length, group: this.#groups });
        group.push(unit);
        open[block.depth] = unit;
      } else if (block.kind === "detail") open.at(-1)?.details.push(block.text);
      else if (block.kind !== "code") {
        close();
        intro = this.#prose(section, block, intro);
      }
    }
    close();
  }

  /** Adds the units of prose and tables; gives the sentence that stands before the next list. */
  #prose(section: Section, block: Block, intro: string): string {
    if (block.kind === "paragraph") {
      const said = sentencesOf(block.lines);
      this.#groups++;
      for (const [place, { text, at }] of said.entries()) {
        const unit = { section, kind: "sentence" as const, text, line: block.line + at, intro: "", place };
        this.#add({ ...unit, group: this.#groups, size: said.length });
      }
      return said.at(-1)?.text ?? "";
    }
    if (block.kind !== "table") return "";
    const [head = [], ...rows] = block.rows;
    const column = head.findIndex((cell) => TASK_COLUMN.test(cell.replaceAll(/[*_`]/g, "").trim()));
    if (column === -1) return "";
    this.#groups++;
    for (const [place, row] of rows.entries()) {
      const text = row[column] ?? "";
      if (text === "" || /^-+$/.test(text)) continue;
      const unit = { section, kind: "row" as const, text, line: block.line + 2 + place, intro, place };
      this.#add({ ...unit, group: this.#groups, size: rows.length });
    }
    return "";
  }

  #add(unit: Pick<Unit, "kind" | "text" | "section" | "line" | "intro" | "place" | "group"> & Partial<Unit>): Unit {
    const whole: Unit = { details: [], size: 1, parent: null, depth: 0, ordered: false, ticked: null, ...unit };
    this.units.push(whole);
    return whole;
  }
}

/** The column of a table that says what is to be done. */
const TASK_COLUMN =
  /^(?:tasks?|actions?|action items?|steps?|what|work|work items?|description|todo|t[aâ]che|[eé]tape|aufgabe|ma(?:ss|ß)nahme|tarea|tarefa|attivit[aà]|taak|actie|任务|步骤|タスク|作業)$/i;
