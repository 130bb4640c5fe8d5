import { EXIT } from "../exit-codes.js";
import { finished, type Finished } from "../report.js";
import type { Surroundings } from "../surroundings.js";

export async function explainId(id: string, folder: string, { coordinator }: Surroundings): Promise<Finished> {
  const { explain } = await coordinator();
  return finished(EXIT.done, { type: "explanation", explanation: await explain(folder, id) });
}
