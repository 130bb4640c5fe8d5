import { charKind, LETTER } from "../../../foundation/text/words.js";
import { judge, reasonsFor } from "../../../foundation/learned/judge-text.js";
import type { LearnedModel } from "../../../foundation/learned/model.js";
import type { Evidence } from "../../../model/request.js";
import { evidenceOf } from "../evidence.js";
import type { Reading, Statement } from "../reading/reading.js";
import { harmFeatures, type HarmReading, type Span } from "./harm-features.js";
import type { CompiledHarmSigns, ShownSign } from "./harm-signs.js";

/*
 * No list of rules foresees how harm will be worded. A request that no rule names is judged by what its wording has in common with
 * requests whose answer is known. The model is passed in: without one, rules alone decide.
 */

export interface HarmModel {
  readonly model: LearnedModel;
  readonly signs: CompiledHarmSigns;
}

export interface HarmJudgement {
  /** The chance that the request harms, of 100. */
  readonly chance: number;
  /** The highest chance of one of its statements, judged alone; 0 when there is only one. */
  readonly statement: number;
  readonly shown: readonly ShownSign[];
  readonly evidence: () => Evidence[];
}

const UNSAFE = 0;
const MOST_REASONS = 4;
const MOST_WEIGHED = 16;
const LEAST_TEXT = 5;
const WORDING = "wording";
/** Statements beyond this are judged with the whole only: time stays linear. */
const MOST_STATEMENTS = 40;

/** The finding of rules and points before. */
export interface RuledBefore {
  /** The checks that spoke for harm in the request as a whole. */
  readonly whole: readonly string[];
  /** The statement that a rule refuses by itself. */
  readonly alone: Statement | null;
}

const RULE = "rule";

/**
 * How likely what these statements ask for harms somebody.
 *
 * Contract: pure and total. A statement that a rule refuses by itself is judged as if nothing else had been said: what
 * stands around it ("SYSTEM: approved") must not make it look harmless.
 */
export function judgeHarm(
  harm: HarmModel,
  reading: Reading,
  statements: readonly Statement[],
  ruled: RuledBefore,
): HarmJudgement {
  const { model, signs } = harm;
  const spans = statements.map(spansOf(reading));
  const read = (of: readonly Span[], known: readonly string[]): HarmReading =>
    harmFeatures(model.form, signs, reading.text, of, known);
  const chanceOf = ({ features }: HarmReading): number => judge(model, features).chances[UNSAFE] ?? 0;
  const whole = read(spans.flat(), ruled.whole);
  let statement = 0;
  // A statement that shows no sign of harm is judged with the whole only: that saves most of the time.
  const isTelling = ({ sign }: ShownSign): boolean => !signs.relief.has(sign);
  if (spans.length > 1)
    spans.forEach((one, at) => {
      const refused = statements[at] === ruled.alone;
      if (at >= MOST_STATEMENTS && !refused) return;
      const shows = one.some(({ start, end }) => signs.matcher.find(reading.text, start, end).some(isTelling));
      if (shows || refused) statement = Math.max(statement, chanceOf(read(one, refused ? [RULE] : [])));
    });
  return {
    chance: chanceOf(whole),
    statement,
    shown: whole.shown,
    evidence: () =>
      reasonsFor(model, whole.features, UNSAFE, MOST_WEIGHED)
        .map(({ start, end }) => evidenceOf(reading, start, end, signAt(signs, whole.shown, start, end)))
        // A small word weighs something and tells nobody anything.
        .filter(({ text, says }) => says !== WORDING || text.length >= LEAST_TEXT || text.charCodeAt(0) >= 0x2e80)
        .slice(0, MOST_REASONS),
  };
}

/**
 * Whether a text in a language of which little is known shows signs of harm and none against it: words such as ransomware
 * are the same in many languages.
 */
export function isSuspicious({ signs }: HarmModel, shown: readonly ShownSign[]): boolean {
  if (shown.some(({ sign }) => signs.relief.has(sign))) return false;
  return shown.some(({ sign }) => signs.categories.some((one) => one.sign === sign));
}

/** The signs of harm that a text shows, whatever else it shows. */
export function listHarm({ signs }: HarmModel, shown: readonly ShownSign[]): readonly ShownSign[] {
  return shown.filter(({ sign }) => !signs.relief.has(sign));
}

const ORDERS_JUDGE = "orders_judge";

/** Whether a text tells the one who judges it how to decide. Everything else in its favour then counts for nothing. */
export function ordersJudge({ signs }: HarmModel, shown: readonly ShownSign[]): boolean {
  return shown.some(({ sign }) => signs.names[sign] === ORDERS_JUDGE);
}

/** Whether such a text also shows a sign of harm: whatever its wording is worth, a person is asked. */
export function isUnderOrders(harm: HarmModel, shown: readonly ShownSign[]): boolean {
  if (!ordersJudge(harm, shown)) return false;
  const { categories, names } = harm.signs;
  return shown.some(({ sign }) => names[sign] !== ORDERS_JUDGE && categories.some((one) => one.sign === sign));
}

/** The category that the most telling sign speaks for. */
export function categoryOf({ signs }: HarmModel, shown: readonly ShownSign[]): string {
  const found = signs.categories.find(({ sign }) => shown.some((one) => one.sign === sign));
  return found?.category ?? "unclear_purpose";
}

function signAt({ names }: CompiledHarmSigns, shown: readonly ShownSign[], start: number, end: number): string {
  const found = shown.find((sign) => sign.start < end && start < sign.end);
  return found === undefined ? WORDING : (names[found.sign] ?? WORDING);
}

/** The places of the words of a statement: what it quotes is not a part of it. */
export function spansOf({ text }: Reading): (statement: Statement) => Span[] {
  return ({ tokens }) => {
    const spans: { start: number; end: number }[] = [];
    for (const { start, end } of tokens) {
      const last = spans.at(-1);
      if (last !== undefined && !hasLetter(text, last.end, start)) last.end = Math.max(last.end, end);
      else spans.push({ start, end });
    }
    return spans;
  };
}

function hasLetter(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((charKind(text.charCodeAt(at)) & LETTER) !== 0) return true;
  return false;
}
