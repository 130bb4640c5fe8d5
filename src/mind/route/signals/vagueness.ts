import type { PhraseMatch } from "../../../foundation/text/phrases.js";
import type { TextDocument } from "../../../foundation/text/read-text.js";
import { phraseDetector } from "./find-phrases.js";

export const COMPARISONS: readonly string[] = [
  "better|nicer|prettier|faster|slower|smoother|cleaner|modern|improve|improves|improved|improving|improvement|improvements|enhance|optimize|optimise|polish|beautify|rework|overhaul|revamp|redesign|refactor",
  "look|looks|feel|feels ?more|?a ?bit nice|better|good|great|modern|clean|pretty|professional|fancy",
  "more|some options|features|things|stuff|functions|fancy|magic|content|work",
  "user-friendly|intuitive|professional-looking|fancy|crappy|ugly|bad|clunky|weird|messy|unusable|usable",
];

/** "better", "faster", "more": a comparison in a sentence without a number. One sentence counts once. */
export function listUnmeasured(doc: TextDocument, comparisons: readonly PhraseMatch[]): readonly PhraseMatch[] {
  const found: PhraseMatch[] = [];
  let at = 0;
  for (const sentence of doc.sentences) {
    while (at < comparisons.length && (comparisons[at]?.start ?? 0) < sentence.start) at++;
    const match = comparisons[at];
    if (match === undefined) break;
    if (match.start < sentence.end && !hasDigit(doc.text, sentence.start, sentence.end)) found.push(match);
  }
  return found;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c >= 0x30 && c <= 0x39) return true;
  }
  return false;
}

/** A complaint in general words: broken, fails, wrong, does not work. */
export const complaints = phraseDetector([
  "doesn't|don't|didn't|won't|isn't|aren't|can't|cannot|couldn't|never|not ?properly|?really|?even|?always work|works|working|load|loading|open|opening|start|starting|show|showing|display|displayed|function|respond|appear|connect|play|launch|compile|build|run|install|update|sync|receive|fill|access|login|generating|responsive",
  "does|do|did|will|can not ?properly|?really work|load|open|start|show|display|respond|appear|connect|play|launch|compile|build|run|install|update|sync|receive|access|login",
  "no longer work|works|working",
  "stopped|stops working|responding",
  "is|are|seems|seem|looks|look|gets|get|becomes ?totally|?completely|?all|?just|?really|?a ?bit|?little off|slow|laggy|bad|frozen|empty|squished|truncated|unusable|stuck|crappy|ugly|corrupted|terrible|horrible|annoying",
  "crash|crashes|crashed|crashing|freeze|freezes|freezing|frozen|hangs|hang|lag|lags|laggy|glitch|glitches|broken|bug|bugs|buggy|failure|fails|fail|failed|failing|problem|problems|trouble|issue|issues|error|errors|wrong|weird|strange",
  "app|application|program|it|game ?just|?always|?suddenly close|closes|closed|quit|quits|dies|stops|stopped",
  "blank|black|white|empty screen|page",
  "can't|cannot|couldn't|unable|impossible ?to",
]);
