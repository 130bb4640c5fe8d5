import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readLearnedModel } from "../../foundation/documents/shipped-model.js";
import { readShipped } from "../../foundation/documents/shipped-document.js";
import { compileSigns } from "../../mind/intake/safety/harm-signs.js";
import type { HarmModel } from "../../mind/intake/safety/judge-harm.js";
import { HarmSigns } from "../../model/harm-signs.js";
import { readInput } from "../project/read-input.js";
import { CoordinatorError } from "../../model/errors.js";

let read: Promise<HarmModel> | undefined;

/**
 * The learned layer of safety as it comes with the package. It is read once, and only by commands that judge a request.
 *
 * Contract: throws when it is missing or not whole: a request must not be judged less strictly because a file is gone.
 */
export function readHarmModel(): Promise<HarmModel> {
  read ??= readParts();
  return read;
}

async function readParts(): Promise<HarmModel> {
  const file = fileURLToPath(new URL("../../../policy/harm-signs.yaml", import.meta.url));
  const [model, signs] = await Promise.all([
    readLearnedModel("safety"),
    readInput(file, HarmSigns, dirname(file), readShipped),
  ]);
  if (!signs.ok)
    throw new CoordinatorError("FILE_UNREADABLE", "The signs of harm that come with the package cannot be read", {
      fix: "Install the package anew.",
    });
  return { model, signs: compileSigns(signs.value) };
}
