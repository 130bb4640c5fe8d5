import type { FeatureForm } from "./features.js";

/** A file of weights as `npm run fit` writes it: how a text is read, what was learnt, and from what. */
export interface WeightFile {
  readonly format: 1;
  readonly model: string;
  readonly form: FeatureForm;
  readonly classes: readonly string[];
  /** Where the labels are explained. */
  readonly guideline: string;
  /** The texts it was fitted to, by their hash; what is not part of the project is only named here. */
  readonly data: readonly { readonly name: string; readonly rows: number; readonly sha256: string }[];
  /** One for each class, in units of a weight × 16. */
  readonly bias: readonly number[];
  /** For each class the least scores that stand for a chance of 1, 2, … 99 of 100. */
  readonly chances: readonly (readonly number[])[];
  /** 16 bits each with the low byte first, class after class for the first feature, then for the next; as base64. */
  readonly weights: string;
}

/** A model ready to judge. It holds no state. */
export interface LearnedModel {
  readonly name: string;
  readonly form: FeatureForm;
  readonly classes: readonly string[];
  readonly bias: readonly number[];
  readonly chances: readonly (readonly number[])[];
  readonly weights: Int16Array;
}

/**
 * Make a model of a file. `bytes` are its weights, decoded by the caller.
 *
 * Contract: pure. It throws a RangeError when the parts do not fit together: a file that was cut off must not decide.
 */
export function modelOf(file: WeightFile, bytes: Uint8Array): LearnedModel {
  const { classes, form, bias, chances } = file;
  const count = classes.length << form.bits;
  if (file.format !== 1 || bytes.length !== 2 * count || bias.length !== classes.length)
    throw new RangeError(`the weights of ${file.model} are not whole: ${bytes.length} bytes for ${count} weights`);
  if (chances.length !== classes.length || chances.some((steps) => steps.length !== 99))
    throw new RangeError(`the chances of ${file.model} are not whole`);
  const weights = new Int16Array(count);
  // Not as a view of the bytes: the order of bytes is that of the file on every machine.
  for (let i = 0; i < count; i++) weights[i] = (bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8);
  return { name: file.model, form, classes, bias, chances, weights };
}
