import type { Block, ListItem } from "../../foundation/markdown/blocks.js";
import { fold, plain } from "./fold.js";
import { obligationsIn } from "./obligations.js";
import type { Section } from "./sections.js";
import {
  announcesReasons,
  announcesWork,
  beginsWithVerb,
  isDefinition,
  isTentative,
  ordersChange,
  ordersUs,
  wordingOf,
} from "./wording.js";

/** One thing that a record asks to be done, as it is written. */
export interface Work {
  readonly text: string;
  /** What stands under it: smaller points and further paragraphs. */
  readonly details: readonly string[];
  /** Stands in a numbered list: the one before it comes first. */
  readonly ordered: boolean;
  /** Which list it stands in, and which stage (`Phase 2`) that belongs to. */
  readonly list: number;
  readonly stages: readonly string[];
  readonly heading: string;
  /** What the heading over it orders to do with it: "Components to remove" → "Remove". */
  readonly verb: string | null;
  readonly tentative: boolean;
  readonly line: number;
}

interface Entry {
  readonly item: ListItem;
  readonly details: readonly string[];
}

interface List {
  readonly intro: string;
  readonly entries: readonly Entry[];
}

/**
 * Find what a record asks to be done: the entries of its implementation notes and action lists, and those of its
 * decision that order something.
 *
 * Contract: reasons, options and context give nothing. Consequences give only what they order: an empty box, or a list
 * that mostly tells us to change something. Prose gives nothing but sentences that oblige us to change something, and
 * those only where the record lists no work. A task nobody asked for is worse than one that a person adds.
 */
export function findWork(sections: readonly Section[]): readonly Work[] {
  const found: Work[] = [];
  for (const section of sections) {
    if (section.role === "work" && !hasList(section))
      found.push(...fromTable(section), ...fromStage(section, sections));
    for (const list of listsOf(section.blocks)) {
      const number = found.length;
      for (const { item, details } of accepted(section, list)) found.push(workOf(section, item, details, number));
    }
  }
  if (found.length > 0) return withoutRepeats(found);
  const steps = stepsOf(sections);
  return steps.length > 0
    ? steps
    : obligationsIn(sections).map(({ section, text, line }) => sentence(section, text, line));
}

function sentence(section: Section, text: string, line: number): Work {
  return workOf(section, { kind: "item", text, depth: 0, ordered: false, ticked: null, line }, [], line);
}

/** A record that says in its plan what it said in its decision asks for it once: where it says more about it. */
function withoutRepeats(found: readonly Work[]): readonly Work[] {
  const best = new Map<string, Work>();
  for (const work of found) {
    const key = keyOf(work);
    const before = best.get(key);
    if (before === undefined || work.details.length > before.details.length) best.set(key, work);
  }
  return found.filter((work) => best.get(keyOf(work)) === work);
}

function keyOf({ text, verb, stages }: Work): string {
  const words = fold(plain(`${verb ?? ""} ${text}`)).match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${stages.join(".")}:${words.length === 0 ? text : words.join(" ")}`;
}

function hasList({ blocks }: Section): boolean {
  return blocks.some(({ kind }) => kind === "item");
}

function workOf(section: Section, item: ListItem, details: readonly string[], list: number): Work {
  return {
    text: item.text,
    details,
    ordered: item.ordered,
    list,
    stages: section.stages,
    heading: section.heading,
    verb: verbOf(section.heading, item.text),
    tentative: section.role === "future" || isTentative(item.text),
    line: item.line,
  };
}

function verbOf(heading: string, text: string): string | null {
  const [, verb] =
    /\bto (?:be )?(add|change|create|delete|deprecate|implement|migrate|move|remove|rename|replace|update|write)d?\b/i.exec(
      heading,
    ) ?? [];
  if (verb === undefined || beginsWithVerb(text)) return null;
  return verb.charAt(0).toUpperCase() + verb.slice(1).toLowerCase();
}

function listsOf(blocks: readonly Block[]): readonly List[] {
  const lists: List[] = [];
  let entries: { item: ListItem; details: string[] }[] = [];
  let intro = "";
  const close = () => {
    if (entries.length > 0) lists.push({ intro, entries });
    entries = [];
  };
  for (const block of blocks) {
    if (block.kind === "item") {
      if (block.depth === 0 || entries.length === 0) entries.push({ item: block, details: [] });
      else entries.at(-1)?.details.push(`- ${block.text}`);
    } else if (block.kind === "detail") entries.at(-1)?.details.push(block.text);
    else if (block.kind !== "code") {
      close();
      intro = block.kind === "paragraph" ? block.lines.join(" ") : "";
    }
  }
  close();
  return lists;
}

function accepted(section: Section, list: List): readonly Entry[] {
  const entries = list.entries.filter(
    ({ item }) => item.ticked !== true && isStatement(item.text) && !isDone(item.text),
  );
  switch (section.role) {
    case "work":
    case "future":
      return announcesReasons(lastSentence(list.intro)) || defines(section, entries)
        ? []
        : entries.filter(({ item }) => !isPraise(item.text));
    case "consequences":
      return following(section, list, entries);
    case "plan":
      return orders(list, entries) || announced(list, entries)
        ? entries.filter(({ item }) => wordingOf(item.text) !== "reason")
        : [];
    case "decision":
      return decides(section, list, entries) ? entries.filter(({ item }) => wordingOf(item.text) !== "reason") : [];
    default:
      return [];
  }
}

/** Names, alone or with what they mean: the fields of something, not what is to be done with them. */
function defines({ heading }: Section, entries: readonly Entry[]): boolean {
  return entries.every(
    ({ item: { ordered, text } }) => !ordered && isDefinition(text) && verbOf(heading, text) === null,
  );
}

/** What follows from a decision is work where it is ticked off, or where most of it tells us to change something. */
function following({ polarity }: Section, { intro }: List, entries: readonly Entry[]): readonly Entry[] {
  const boxes = entries.filter(({ item }) => item.ticked === false);
  if (boxes.length > 0) return boxes;
  if (polarity !== null || announcesReasons(lastSentence(intro))) return [];
  const ordering = entries.filter(({ item }) => ordersUs(item.text)).length;
  if (ordering * 2 < entries.length || !entries.some(({ item }) => ordersChange(item.text))) return [];
  return entries.filter(({ item }) => wordingOf(item.text) !== "reason");
}

/** The sentence before it says that this is to be done, and its entries say more than a name. */
function announced({ intro }: List, entries: readonly Entry[]): boolean {
  const sentence = lastSentence(intro);
  if (!announcesWork(sentence) || announcesReasons(sentence)) return false;
  return entries.filter(({ item }) => saysMore(item.text)).length * 2 > entries.length;
}

/** Entries that only point somewhere or say that there is nothing. */
function isStatement(text: string): boolean {
  if (
    /^(?:none|n\/?a|nothing|tbd|todo|-|no(?:ne)? known\b.*|there are (?:currently )?no\b.*|aucune?|keine?|ninguna?|nenhuma?|nessuna?|geen|无|なし)\.?$/i.test(
      plain(text),
    )
  )
    return false;
  return !/^(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?:\/\/\S+>?)[.,;]?$/.test(text.trim());
}

/** Marked as done at its end. */
function isDone(text: string): boolean {
  return /(?<=\S\s)(?:\*\*)?(?:[✅✔☑]\uFE0F?|\((?:done|completed?|erledigt|fait|hecho|feito|conclu[ií]d[oa]|fatto|klaar|已完成|完了)\))[\s*]{0,4}\p{L}{0,12}[.*]{0,4}$/iu.test(
    text.slice(-60),
  );
}

function isPraise(text: string): boolean {
  return /^(?:good|bad|neutral|pros?|cons?|advantages?|disadvantages?|risks?)\b\s*[,:—–-]/i.test(plain(text));
}

function lastSentence(intro: string): string {
  return intro.split(/(?<=[.!?。])\s+/).at(-1) ?? "";
}

/** Most entries order something. */
function orders({ intro }: List, entries: readonly Entry[]): boolean {
  if (announcesReasons(lastSentence(intro))) return false;
  const ordering = entries.filter(({ item }) => beginsWithVerb(item.text) || wordingOf(item.text) === "order");
  return ordering.length * 2 > entries.length;
}

/**
 * A list in a decision is what was decided, unless it says why. Where MADR has the outcome, reasons are what usually
 * follows, so there the entries have to order something by themselves.
 */
function decides(section: Section, list: List, entries: readonly Entry[]): boolean {
  if (entries.length === 0 || announcesReasons(lastSentence(list.intro))) return false;
  if (
    /outcome|chosen|resultat|ergebnis|resultado|esito|uitkomst|结果/i.test([...section.path, section.heading].join(" "))
  )
    return orders(list, entries);
  const wordings = entries.map(({ item }) => wordingOf(item.text));
  // "**Name**: what it is" right under the decision, or numbered, is a part of what was decided.
  const parts = section.named || entries.every(({ item }) => item.ordered);
  const against = entries.filter(({ item }, at) => {
    const wording = wordings[at];
    return wording === "reason" || (wording === "description" && !(parts && item.text.startsWith("**")));
  }).length;
  if (against * 2 >= entries.length) return false;
  if (wordings.includes("order")) return true;
  // Names alone say where something holds and not what is to be done.
  return entries.filter(({ item }) => saysMore(item.text)).length * 2 > entries.length;
}

function saysMore(text: string): boolean {
  return plain(text).split(/\s+/).length > 3 || /[\u3040-\u9fff]{8,}/.test(text);
}

/** A table of tasks: one column says what is to be done. */
function fromTable(section: Section): readonly Work[] {
  return section.blocks.flatMap((block, number) => {
    if (block.kind !== "table") return [];
    const [head = [], ...rows] = block.rows;
    const column = head.findIndex((cell) =>
      /^(?:tasks?|actions?|action items?|steps?|what|work|description|todo|tache|etape|aufgabe|massnahme|tarea|tarefa|attivita|taak|actie|任务|步骤|タスク|作業)$/i.test(
        plain(cell),
      ),
    );
    if (column === -1) return [];
    return rows
      .map((row) => row[column] ?? "")
      .filter((text) => text !== "" && !/^-+$/.test(text))
      .map((text) =>
        workOf(section, { kind: "item", text, depth: 0, ordered: false, ticked: null, line: block.line }, [], number),
      );
  });
}

/** `### Phase 1: Move the readers` with prose under it: the heading is what is to be done. */
function fromStage(section: Section, sections: readonly Section[]): readonly Work[] {
  const stage = section.stages.at(-1);
  if (stage === undefined || sections.filter(({ stages }) => stages.length > 0).length < 2) return [];
  const [, text] = /^\S+\s*#?\s*[\divx]+\s*[:.)—–-]\s*(.+)$/i.exec(section.heading) ?? [];
  const inner = sections.some(
    ({ path, blocks }) => path.includes(section.heading) && blocks.some(({ kind }) => kind === "item"),
  );
  if (text === undefined || inner) return [];
  const details = section.blocks.flatMap((block) => (block.kind === "paragraph" ? [block.lines.join(" ")] : []));
  const item: ListItem = { kind: "item", text, depth: 0, ordered: true, ticked: null, line: section.line };
  return [workOf(section, item, details, 0)];
}

/** A record without any such section may be instructions: numbered, and nearly all of them begin with a verb. */
function stepsOf(sections: readonly Section[]): readonly Work[] {
  return sections.flatMap((section) => {
    if (section.role !== null) return [];
    return listsOf(section.blocks).flatMap(({ entries, intro }, number) => {
      const verbs = entries.filter(({ item }) => beginsWithVerb(item.text)).length;
      const steps = entries.length >= 3 && entries.every(({ item }) => item.ordered) && verbs * 4 >= entries.length * 3;
      if (!steps || announcesReasons(lastSentence(intro))) return [];
      return entries.map(({ item, details }) => workOf(section, item, details, number));
    });
  });
}
