import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/* A person's own settings in the home of a test: what stands there needs no trust, as it is theirs. */

type Settings = Readonly<Record<string, unknown>>;

/** Adds to what is there; agents are added one by one, every other key is replaced. */
export function addOwnSettings(home: string, more: Settings): void {
  const file = join(home, ".config", "coordinator", "config.yaml");
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Settings) : {};
  const agents = { ...(before["agents"] as object), ...(more["agents"] as object) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...before, ...more, agents }));
}
