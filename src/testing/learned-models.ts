import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { type LearnedModel, modelOf, type WeightFile } from "../foundation/learned/model.js";

/** The shipped weights, for tests of what is pure and is given them. */
export function shippedModel(name: string): LearnedModel {
  const path = new URL(`../../policy/learned/${name}.json`, import.meta.url);
  const file = JSON.parse(readFileSync(path, "utf8")) as WeightFile;
  return modelOf(file, Buffer.from(file.weights, "base64"));
}
