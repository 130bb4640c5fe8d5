import type { TextDocument } from "../../../foundation/text/read-text.js";
import type { Word } from "../../../foundation/text/words.js";
import type { Evidence } from "./evidence.js";
import { ORDERS_ABROAD } from "./phrase-lists.js";

/*
 * An order to change code that the first line names, in languages other than English. The verb alone says little ("changer"), and so
 * does the name of code alone; a line that asks or wishes is no order.
 */

const FIRST = new Set(ORDERS_ABROAD.first.split(" "));
const LAST = new Set(ORDERS_ABROAD.last.split(" "));
const NEVER = new Set(ORDERS_ABROAD.never.split(" "));
/** Words of the first line that are looked at. */
const WORDS_MOST = 60;
const KANA = /[\u3040-\u30ff]/u;
const HAN = /[\u4e00-\u9fff]/u;

/** Contract: pure, total, linear in the first line. `anchors` are the places in code, in the order of the text. */
export function ordersAbroad(doc: TextDocument, anchors: readonly Evidence[]): readonly Evidence[] {
  const { start, end } = doc.title;
  const [anchor] = anchors;
  if (anchor === undefined || anchor.start < start || anchor.start >= end) return [];
  const line = doc.text.slice(start, end);
  const orders = HAN.test(line) || KANA.test(line) ? ordersWithoutSpaces(line) : ordersInWords(doc);
  return orders ? [{ start, end }] : [];
}

/** A mark of an order in it, and none of a question or a wish. */
function ordersWithoutSpaces(line: string): boolean {
  const { han, han_never: hanNever, kana, kana_never: kanaNever } = ORDERS_ABROAD;
  const [marks, never] = KANA.test(line) ? [kana, kanaNever] : [han, hanNever];
  return marks.some((mark) => line.includes(mark)) && !never.some((mark) => line.includes(mark));
}

function ordersInWords({ text, title, words }: TextDocument): boolean {
  const said: Word[] = [];
  for (const word of words) {
    if (word.start >= title.end || said.length === WORDS_MOST) break;
    said.push(word);
  }
  if (said.some(({ lower }) => NEVER.has(lower))) return false;
  return said.some(({ lower, start, end }, at) => {
    if (FIRST.has(lower)) return at === 0 || opens(text.slice(said[at - 1]?.end, start));
    if (!LAST.has(lower) || at === 0) return false;
    return at === said.length - 1 || /^[,.;]/.test(text.slice(end, end + 1));
  });
}

/** Whether a new clause begins in the gap before a word: a comma or a colon stands in it. */
const opens = (gap: string): boolean => /[,:.] ?$/.test(gap);
