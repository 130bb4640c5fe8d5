import { expect, it } from "vitest";
import { AdrTask } from "../../model/adr.js";
import { shippedModel } from "../../testing/learned-models.js";
import { textsInScripts } from "../../testing/texts-in-scripts.js";
import { breakDown } from "./break-down.js";
import { parseAdr } from "./parse-adr.js";

const MODEL = shippedModel("adr");

function read(text: string): string {
  const adr = parseAdr(text, "0007-x.md");
  const { tasks, held, unclear } = breakDown(adr, MODEL);
  for (const task of tasks) expect(AdrTask.safeParse(task).error, JSON.stringify(text)).toBeUndefined();
  return JSON.stringify([adr.id, adr.title, adr.status, tasks, held, unclear]);
}

it.each(textsInScripts())("%s: 200 texts of any form are read as records, each always the same way", (_name, texts) => {
  for (const text of texts) expect(read(text)).toBe(read(text));
});
