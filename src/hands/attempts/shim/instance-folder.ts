import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFileSync, readdirSync } from "../../../foundation/files/read-files.js";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "../../../foundation/files/write-files-sync.js";
import { crashPoint } from "../../../foundation/processes/crash-points.js";
import { syncFolderNow } from "../../../foundation/files/durable.js";
import { withoutKeys, withoutSecrets } from "../../../foundation/files/known-secrets.js";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../../foundation/processes/process-identity.js";
import { hasCode, shimFailure } from "./shim-failure.js";

/*
 * An effect has a folder, and in it one numbered folder for each instance that was to do it. Of the files in there one
 * decides everything: `claim`. Anyone who links it into place first has the instance: its shim, which then acts and may
 * be adopted, or somebody who voids it, and then nobody acts in it for ever. All of it must be on a local disk, outside
 * of anything an agent can write to.
 */

/** Who does the effect, and since when by the clock that starts with the machine and is never set. */
export interface Holder extends ProcessIdentity {
  readonly uptime_ms: number;
}

/** The order of the shim of an instance. */
export interface ShimOrder {
  /** The name of a body the shim's program knows. Never a path: an order must not choose what code runs. */
  readonly body: string;
  readonly input: unknown;
  /** How long the body may take, whatever it does meanwhile; at most what a timer can count, 24 days. */
  readonly limit_ms: number;
  /** How long a body that was told to stop may take to do so. */
  readonly grace_ms: number;
  readonly notes_limit_bytes: number;
}
const USUAL = { grace_ms: 5000, notes_limit_bytes: 8 * 1024 * 1024 };
export type NewShimOrder = Omit<ShimOrder, keyof typeof USUAL> & Partial<typeof USUAL>;

/** How an instance ended, as its shim wrote it down. */
export type ShimResult =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "threw"; readonly message: string }
  | { readonly kind: "timed_out" | "stopped" };

const VOID = "void";
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The folder of an effect. Contract: two ids never share one, whatever they contain; the same id always gets the same, so
 * that a process that knows nothing but the log finds it.
 */
export function effectFolder(runFolder: string, effectId: string): string {
  const readable = effectId.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
  return join(runFolder, `${readable}-${createHash("sha256").update(effectId).digest("hex").slice(0, 20)}`);
}

export const instanceFolder = (base: string, n: number): string => join(base, String(n));

/** Contract: true for exactly one caller; the folder is then durable. */
export function makeInstance(base: string, n: number): boolean {
  const top = mkdirSync(base, { recursive: true, mode: 0o700 });
  const won = wins(() => mkdirSync(instanceFolder(base, n), { mode: 0o700 }));
  if (won) syncFolderNow(base);
  if (top !== undefined) syncParents(base, top);
  return won;
}

/** The names of the folders of a run's effects. */
export function effectFolders(runFolder: string): string[] {
  const entries = orNull(() => readdirSync(runFolder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** The instances of an effect, by number. */
export function instancesOf(base: string): number[] {
  const names = orNull(() => readdirSync(base)) ?? [];
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

export function writeOrder(folder: string, order: NewShimOrder): void {
  for (const name of ["working", "writable"]) writeFileSync(join(folder, name), "");
  const limit_ms = Math.min(order.limit_ms, LONGEST_TIMER_MS);
  writeFileSync(join(folder, "order.json"), JSON.stringify(withoutKeys({ ...USUAL, ...order, limit_ms })), {
    flush: true,
  });
}

/** Contract: null where the order was never completely written; then no shim was ever started. */
export function readOrder(folder: string): ShimOrder | null {
  const order = parseOwn<ShimOrder>(textOrNull(join(folder, "order.json")));
  return typeof order?.body === "string" && typeof order.limit_ms === "number" ? (order as ShimOrder) : null;
}

/** The body has ended, with everything it started. Taking a file away works on a full disk too. */
export function endWork(folder: string): void {
  rmSync(join(folder, "working"), { force: true });
}

/** Contract: false for a shim that only waits until it can write its result down; it must not be killed. */
export function isWorking(folder: string): boolean {
  return existsSync(join(folder, "working"));
}

/** For a shim that could not write its result down: it keeps it and tries on, and says so by what works on a full disk. */
export function setUnwritable(folder: string): void {
  rmSync(join(folder, "writable"), { force: true });
}

/** Contract: true until a shim says otherwise, however long it takes to write its result: a slow disk is none that fails. */
export function isWritable(folder: string): boolean {
  return existsSync(join(folder, "writable"));
}

/** Take a shim's word back, which says it again when its next try fails too. Contract: false where there is no room. */
export function expectWritable(folder: string): boolean {
  try {
    writeFileSync(join(folder, "writable"), "");
    return true;
  } catch {
    return false;
  }
}

/** For the shim: contract: true means that nobody else acts in this folder, ever. */
export function claimInstance(folder: string): boolean {
  return claim(folder, JSON.stringify({ ...ownIdentity(), uptime_ms: uptimeMs() ?? 0 } satisfies Holder));
}

/** Contract: true means that its shim never acted and never will. */
export function voidInstance(folder: string): boolean {
  return claim(folder, VOID);
}

/** Contract: the draft is complete before it is linked, so a claim is never empty: it names somebody or says void. */
function claim(folder: string, text: string): boolean {
  const draft = join(folder, `claim.${process.pid}`);
  writeFileSync(draft, text, { flush: true });
  try {
    const won = wins(() => linkSync(draft, join(folder, "claim")));
    if (won) syncFolderNow(folder);
    return won;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function readClaim(folder: string): Holder | "void" | null {
  const text = textOrNull(join(folder, "claim"));
  if (text === null || text === VOID) return text;
  const holder = parseOwn<Holder>(text);
  if (typeof holder?.pid !== "number") throw shimFailure(folder, "A claim is damaged");
  return holder as Holder;
}

/** Contract: what is read is complete: it was synced under another name before it got its own. */
export function writeResult(folder: string, result: ShimResult): void {
  const draft = join(folder, "result.tmp");
  // A sync that failed may have dropped what was written: each try begins with a file of its own.
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify(withoutSecrets(result)), { flush: true });
  crashPoint("shim.result_drafted");
  renameSync(draft, join(folder, "result"));
  syncFolderNow(folder);
}

/** Contract: to be read after looking at the holder: it may have ended well in between. */
export function readResult(folder: string): ShimResult | null {
  const text = textOrNull(join(folder, "result"));
  if (text === null) return null;
  const result = parseOwn<ShimResult>(text);
  if (typeof result?.kind !== "string") throw shimFailure(folder, "A result is damaged");
  return result as ShimResult;
}

/** The order to stop, for a shim that does not get the signal, and for anyone who finds it dead: it was to die. */
export function orderStop(folder: string): void {
  writeFileSync(join(folder, "stop"), "", { flush: true });
}

export function isToStop(folder: string): boolean {
  return existsSync(join(folder, "stop"));
}

/** A shim that died unheard, one that was voided and one that ended all have nothing more to do. */
export function isActive(folder: string): boolean {
  const held = readClaim(folder);
  return held !== null && held !== VOID && isAlive(held);
}

/** Milliseconds since the machine started, or null where the system does not say. Nobody can set this clock. */
export function uptimeMs(): number | null {
  const text = textOrNull("/proc/uptime");
  return text === null ? null : Math.round(Number.parseFloat(text) * 1000);
}

function wins(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function textOrNull(path: string): string | null {
  // Most looks find nothing, and an error is dear.
  return existsSync(path) ? orNull(() => readFileSync(path, "utf8")) : null;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

/** Reads a file that this program wrote itself, without a schema; a shim starts twice as fast without a library that would check more. */
function parseOwn<T>(text: string | null): Partial<T> | null {
  if (text === null) return null;
  try {
    const found = JSON.parse(text) as unknown;
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

/** A new folder is durable when the one it stands in is. */
function syncParents(from: string, top: string): void {
  for (let made = from; made.length >= top.length; made = dirname(made)) syncFolderNow(dirname(made));
}
