import type { CompiledPolicy, CompiledSafety } from "../compile-policy.js";
import { placesIn } from "../named-places.js";
import { isForeign } from "../reading/language.js";
import type { Reading } from "../reading/reading.js";
import type { ShownSign } from "./harm-signs.js";
import { categoryOf, type HarmModel, isSuspicious, listHarm } from "./judge-harm.js";

/** Greek, Cyrillic, Arabic, the scripts of India and South-East Asia, Korean. */
const UNREAD = /[\u0370-\u1cff\uac00-\ud7af]/u;

const CREDENTIALS = "credential_theft";

interface Thresholds {
  /** The chance from which the request is held. */
  readonly holdAt: number;
  /** Whether the chance of the wording may refuse it. */
  readonly refuses: boolean;
}

/**
 * How likely harm has to be for this request to be held. Unusual wording alone says little: without a sign of harm more is
 * needed, and where code is named besides, such a request is ordinary work until the chance would refuse others. A lone
 * sign where code is named ("the race detector", `child_process`) often means something else: it needs more than two signs do. A
 * password is a password beside code, too.
 *
 * Contract: pure and total.
 */
export function thresholdsFor(
  policy: CompiledPolicy,
  {
    hold_at,
    hold_without_sign_at,
    hold_lone_sign_in_code_at,
    hold_other_languages_at,
    refuse_at,
  }: NonNullable<CompiledSafety["learned"]>,
  harm: HarmModel,
  { reading, shown }: { readonly reading: Reading; readonly shown: readonly ShownSign[] },
): Thresholds {
  const signs = listHarm(harm, shown);
  const namesCode = placesIn(reading.text, 1).length > 0;
  if (signs.length > 0) {
    if (!isSuspicious(harm, shown) || !isForeign(policy, reading))
      return {
        holdAt:
          namesCode && signs.length === 1 && categoryOf(harm, signs) !== CREDENTIALS
            ? (hold_lone_sign_in_code_at ?? hold_at)
            : hold_at,
        refuses: true,
      };
    // In a script that nothing was fitted to, the chance says nothing: the sign alone holds.
    return { holdAt: UNREAD.test(reading.text) ? 0 : (hold_other_languages_at ?? hold_at), refuses: true };
  }
  if (namesCode) return { holdAt: refuse_at, refuses: false };
  return { holdAt: hold_without_sign_at ?? hold_at, refuses: true };
}
