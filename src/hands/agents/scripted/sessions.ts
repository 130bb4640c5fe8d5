import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Memory of a session: how far its script was carried out and what it said. Kept so that it survives a kill. */
const Memory = z.strictObject({
  mode: z.string(),
  /** Null where it offers no choice of models. */
  model: z.string().nullable().default(null),
  options: z.record(z.string(), z.string()),
  prompts: z.int(),
  said: z.array(z.string()),
});
type Memory = z.infer<typeof Memory>;

export interface Session extends Memory {
  readonly id: string;
  /** Its cost since it was opened. */
  cost: number;
}

const folder = () => join(process.env["HOME"] ?? ".", ".scripted-agent");

export function newSession(mode: string, options: Record<string, string>, model: string | null): Session {
  const session = { id: `scripted-${randomUUID()}`, mode, model, options, prompts: 0, cost: 0, said: [] };
  keep(session);
  return session;
}

export function keep({ id, cost: _, ...memory }: Session): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), `${id}.json`), JSON.stringify(memory));
}

export function knownSession(id: string): Session | null {
  if (!/^scripted-[0-9a-f-]{36}$/.test(id)) return null;
  try {
    return { id, cost: 0, ...Memory.parse(JSON.parse(readFileSync(join(folder(), `${id}.json`), "utf8"))) };
  } catch {
    return null;
  }
}
