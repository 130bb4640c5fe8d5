import { AsyncLocalStorage } from "node:async_hooks";
import type { Check, CheckResult } from "../../model/settings/check.js";

/*
 * Who looks on while checks and setups run. They are started deep inside of verifying, integrating and merging, and
 * anyone who looks on changes nothing of it: so it is not handed through all of that.
 */

export interface CheckObserver {
  readonly begun: (check: Pick<Check, "name" | "run">, tree: string) => ObservedCheck;
  /** Something worth knowing about how trees are made ready. */
  readonly noted: (text: string) => void;
}

/** Contract: nothing of it throws. */
export interface ObservedCheck {
  readonly printed: (piece: Buffer) => void;
  readonly ended: (result: Pick<CheckResult, "ended" | "exit_code" | "findings">) => void;
}

const observers = new AsyncLocalStorage<CheckObserver>();

/** Every check that `work` runs is seen by the observer. */
export function withObserver<T>(observer: CheckObserver, work: () => Promise<T>): Promise<T> {
  return observers.run(observer, work);
}

const NOBODY: ObservedCheck = { printed: () => undefined, ended: () => undefined };

export function startObservation(check: Pick<Check, "name" | "run">, tree: string): ObservedCheck {
  return observers.getStore()?.begun(check, tree) ?? NOBODY;
}

/** Tell anyone who looks on. */
export function noteObserved(text: string): void {
  observers.getStore()?.noted(text);
}
