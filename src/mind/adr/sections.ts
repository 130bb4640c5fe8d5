import type { Block } from "../../foundation/markdown/blocks.js";
import { plain } from "./fold.js";
import { titleNumber } from "./adr-names.js";
import { namedRole, type Polarity, polarityOf, type Role, roleOf, stageOf } from "./headings.js";

/** The text under one heading, up to the next one of any level. */
export interface Section {
  readonly heading: string;
  readonly level: number;
  readonly line: number;
  /** Its purpose: by its own heading, or else by the one it stands under. */
  readonly role: Role | null;
  /** Whether its own heading says so. */
  readonly named: boolean;
  readonly polarity: Polarity;
  /** The stages it stands in, outermost first, as `Phase 2` then `Step 1`. */
  readonly stages: readonly string[];
  /** The headings above it, outermost first. */
  readonly path: readonly string[];
  readonly blocks: readonly Block[];
}

interface Open {
  readonly heading: string;
  readonly level: number;
  readonly role: Role | null;
  readonly polarity: Polarity;
  readonly stages: readonly string[];
}

/** Below every real heading: a line that is nothing but bold. */
const LABEL_LEVEL = 7;

/** Cut blocks at their headings. Contract: the first section is what stands before any heading, and may be empty. */
export function cutSections(blocks: readonly Block[]): readonly Section[] {
  const open: Open[] = [];
  const sections: Section[] = [];
  let current: Block[] = [];
  let inner: Inner | null = null;
  sections.push({ ...TOP, blocks: current });
  for (const block of blocks.flatMap(partLabel)) {
    if (inner !== null && isInside(block, inner)) {
      inner.blocks.push(block.kind === "item" ? { ...block, depth: block.depth - inner.depth - 1 } : block);
      continue;
    }
    inner = null;
    const label = labelIn(block);
    if (label !== null) {
      const path = open.map((parent) => parent.heading);
      const section = sectionOf({ text: label.text, level: LABEL_LEVEL }, open.at(-1), path, block.line);
      inner = { depth: label.depth, blocks: [] };
      sections.push({ ...section, blocks: inner.blocks });
      continue;
    }
    const heading = headingOf(block);
    if (heading === null) {
      current.push(block);
      continue;
    }
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
    const around = open.at(-1);
    const section = sectionOf(
      heading,
      around,
      open.map((parent) => parent.heading),
      block.line,
    );
    open.push(section);
    current = [];
    sections.push({ ...section, blocks: current });
  }
  return sections;
}

const TOP: Section = {
  heading: "",
  level: 0,
  line: 1,
  role: null,
  named: false,
  polarity: null,
  stages: [],
  path: [],
  blocks: [],
};

/** A section inside of a list: what stands under an entry that only names it. */
interface Inner {
  readonly depth: number;
  readonly blocks: Block[];
}

function isInside(block: Block, { depth }: Inner): boolean {
  return block.kind === "detail" || (block.kind === "item" && block.depth > depth);
}

/** `- **Follow-ups:**` over smaller entries: the name of a section, where that is one of work or of what follows. */
function labelIn(block: Block): { readonly text: string; readonly depth: number } | null {
  if (block.kind !== "item" || block.text.length > 60) return null;
  const [, bold, colon] = /^(?:[*_]{2}([^*_]{2,40})[*_]{2}\s*[:：]?|([^*_:：]{2,40})[:：])$/.exec(block.text) ?? [];
  const text = (bold ?? colon ?? "").replace(/[:：]\s*$/, "");
  const role = namedRole(text);
  return role === "work" || role === "future" || role === "consequences" ? { text, depth: block.depth } : null;
}

/** `**Decision:** We will …`: the name of a section and what stands in it, in one paragraph. */
function partLabel(block: Block): readonly Block[] {
  if (block.kind !== "paragraph") return [block];
  const [first = "", ...rest] = block.lines;
  const [, , label = "", words = ""] =
    /^\s*(\*\*|__)([^*_:：]{2,40}[:：]\1|[^*_:：]{2,40}\1\s*[:：])\s*(\S.*)$/.exec(first) ?? [];
  const role = namedRole(label.replaceAll(/[*_:：]/g, ""));
  if (role === null || role === "status" || role === "links") return [block];
  const name = `**${label.replaceAll(/[*_:：]/g, "").trim()}**`;
  return [
    { ...block, lines: [name] },
    { ...block, lines: [words, ...rest] },
  ];
}

interface Heading {
  readonly text: string;
  readonly level: number;
}

function headingOf(block: Block): Heading | null {
  if (block.kind === "heading") return { text: plain(block.text), level: block.level };
  if (block.kind !== "paragraph" || block.lines.length !== 1) return null;
  const [, , label] = /^\s*(\*\*|__)((?:(?!\1).){1,80})\1\s*[:：]?\s*$/.exec(block.lines[0] ?? "") ?? [];
  // A bold sentence is a sentence.
  return label === undefined || /[.!。]$/.test(label.trim()) ? null : { text: plain(label), level: LABEL_LEVEL };
}

function sectionOf({ text, level }: Heading, around: Open | undefined, path: readonly string[], line: number): Section {
  const own = level === 1 && around === undefined && path.length === 0 ? titleRole(text) : roleOf(text);
  const role = within(around?.role ?? null, own);
  const stage = stageOf(text);
  return {
    heading: text,
    level,
    line,
    role,
    named: own !== null && role === own,
    polarity: polarityOf(text) ?? (role === (around?.role ?? null) ? (around?.polarity ?? null) : null),
    stages: stage === null ? (around?.stages ?? []) : [...(around?.stages ?? []), stage],
    path,
    blocks: [],
  };
}

/** A first heading is a title unless it is the whole name of a section: "Implementation of X" is what X is called. */
function titleRole(text: string): Role | null {
  return titleNumber(text) !== null || text.split(/\s+/).length > 3 ? null : namedRole(text);
}

/** A section under options weighs them, and one under consequences follows, whatever its own heading is. */
function within(around: Role | null, own: Role | null): Role | null {
  if (own === null) return around;
  if (around === "options") return own === "decision" || own === "consequences" ? own : around;
  if (around === "consequences") return own === "work" || own === "links" || own === "future" ? own : around;
  if (around === "status") return own === "consequences" || own === "decision" ? own : around;
  if (around === "work" && (own === "decision" || own === "status")) return around;
  return own;
}
