import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { readLearnedModel } from "./shipped-model.js";

it("reads the weights of a model, and refuses a file that was cut off", async () => {
  const folder = await mkdtemp(join(tmpdir(), "learned-"));
  const at = pathToFileURL(`${folder}/`);
  const bytes = Buffer.alloc(2 << 14);
  bytes.writeInt16LE(-300, 4);
  const file = {
    format: 1,
    model: "small",
    form: { bits: 14, words: 1, characters: [3, 3] },
    classes: ["a"],
    guideline: "",
    data: [],
    bias: [7],
    chances: [Array.from({ length: 99 }, (_, i) => i)],
    weights: bytes.toString("base64"),
  };
  await writeFile(join(folder, "small.json"), JSON.stringify(file));
  const model = await readLearnedModel("small", at);
  expect([model.name, model.weights[2], model.bias]).toEqual(["small", -300, [7]]);
  await writeFile(join(folder, "cut.json"), JSON.stringify({ ...file, weights: "AAAA" }));
  await expect(readLearnedModel("cut", at)).rejects.toThrow("not whole");
  await expect(readLearnedModel("none", at)).rejects.toThrow();
});
