import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import { readFile } from "../files/read-files.js";
import { type LearnedModel, modelOf, type WeightFile } from "../learned/model.js";

/** Where the package keeps what was learnt. */
const LEARNED = new URL("../../../policy/learned/", import.meta.url);

/**
 * Read the weights of a model that comes with the package. Only a command that judges texts calls this: it reads some
 * hundred kilobytes.
 *
 * Contract: throws when the file is missing or not whole.
 */
export async function readLearnedModel(name: string, folder: URL = LEARNED): Promise<LearnedModel> {
  const file = JSON.parse(await readFile(fileURLToPath(new URL(`${name}.json`, folder)), "utf8")) as WeightFile;
  return modelOf(file, Buffer.from(file.weights, "base64"));
}
