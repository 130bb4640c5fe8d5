// What the work of the engines' tests does, the same wherever it is done. It leaves marks outside of everything that an engine
// keeps, so that a test can count what was done, and how often.
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const nameOf = (id) => id.replaceAll(/\W/g, "_");

export async function act({ id, folder, body }, { signal, note }) {
  const mark = (what) => appendFileSync(join(folder, "marks"), `${what} ${id} ${process.pid}\n`);
  mark("start");
  let value = id;
  if (body.does === "value") value = body.value;
  if (body.does === "throws") throw new Error("a body that fails");
  if (body.does === "held") while (!existsSync(join(folder, nameOf(id)))) await sleep(20, undefined, { signal });
  if (body.does === "tells") {
    for (let n = 1; n <= body.count; n++) note({ type: "busy", text: `note ${n}` });
    value = body.count;
  }
  signal.throwIfAborted();
  mark("end");
  return value;
}
