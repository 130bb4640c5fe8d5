import { extname } from "node:path";
import { readText } from "../../foundation/documents/read-document.js";
import { findBreaches } from "../../mind/plan/rules/red-lines.js";
import { EXIT } from "../exit-codes.js";
import { fail, finish, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { placeIn } from "../../foundation/documents/path-segments.js";
import { inputFailure } from "../project/input-failure.js";
import { lockFileOf } from "../project/project-documents.js";
import { registryFailure } from "../project/project-registry.js";
import { readRaw } from "../project/read-input.js";
import { sealedText } from "./sealed-text.js";
import { writeWhole } from "../project/write-file.js";

export interface SealArguments {
  readonly file: string;
  readonly registries: readonly string[];
  /** Where the sealed intent goes; it is only shown when absent. */
  readonly out: string | undefined;
}

/** Seal an intent. Contract: the file is replaced as a whole or not at all, and stays JSON or YAML as it was. */
export async function sealFile(args: SealArguments, { coordinator, project, cwd }: CommandContext): Promise<Finished> {
  const document = await readRaw(args.file, cwd);
  if (!document.ok) return inputFailure(document.problems);
  const registry = await project.registry(args.registries);
  const broken = registryFailure(registry);
  if (broken !== null) return broken;
  const breaches = findBreaches(document.value);
  if (breaches.length > 0)
    return fail(EXIT.refused, breaches[0]?.code ?? "RED_LINE_I1", "The intent crosses a red line and is not sealed", {
      problems: placeIn(document, breaches),
    });
  const sealed = (await coordinator()).seal(document.value, registry.registry);
  if (!sealed.ok) {
    const missing = sealed.problems.every(({ code }) => code === "REGISTRY_MISSING");
    return fail(
      missing ? EXIT.refused : EXIT.invalid,
      sealed.problems[0]?.code ?? "INTENT_SCHEMA",
      "The intent cannot be sealed as it is",
      {
        problems: placeIn(document, sealed.problems),
        ...(missing ? { fix: "`coordinator registry draft --intent FILE` makes starters for missing entries." } : {}),
      },
    );
  }
  const { intent, lock } = sealed;
  const read = await readText(args.file);
  const form = /^\.ya?ml$/i.test(extname(args.file)) ? "yaml" : "json";
  const text = sealedText(read.ok ? read.text : "", form, document.value, intent);
  const lockFile = args.out === undefined || lock === null ? null : lockFileOf(args.out);
  if (args.out !== undefined) {
    // The lock goes first: an intent without its lock is merely unpinned, a lock without its intent would be stale.
    if (lockFile !== null) await writeWhole(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
    await writeWhole(args.out, text);
  }
  return finish(EXIT.done, {
    type: "intent_seal",
    intent,
    lock,
    text,
    writtenTo: args.out ?? null,
    lockWrittenTo: lockFile,
  });
}
