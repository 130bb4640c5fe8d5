import {
  type ReachStatus,
  type TrustStatus,
  listWaiting,
  withoutEffect,
} from "../../hands/settings/trust/trust-status.js";
import type { Examination } from "../setup-reports.js";

/* Describes parts of a project without effect because no person agreed to them. Every command that continues without them shows it. */

const MOST_LINES = 8;
const OWN = "~/.config/coordinator/config.yaml";

/** One line for `doctor`. */
export function examineTrust(trust: TrustStatus): Examination {
  const held = withoutEffect(trust);
  if (held.length === 0) {
    const detail =
      trust.reaches.length === 0
        ? "nothing in this project reaches beyond it"
        : `you agreed to what this project reaches beyond it: ${countThings(trust.reaches.length)}`;
    return { name: "trust", status: "good", detail, fix: null };
  }
  const detail = `without effect until you agree: ${held.map(({ says }) => says).join("; ")}`;
  return { name: "trust", status: "weak", detail, fix: fixFor(held) };
}

const told = new Set<string>();

/** Warns anyone who goes on without it, once in the life of this process for the same lines. */
export function warnWithoutEffect(trust: TrustStatus, warn: (message: string) => void): void {
  const text = linesFor(withoutEffect(trust)).join("\n");
  if (text === "" || told.has(text)) return;
  told.add(text);
  warn(text);
}

function linesFor(held: readonly ReachStatus[]): string[] {
  if (held.length === 0) return [];
  const more = held.length - MOST_LINES;
  return [
    `This project asks for ${countThings(held.length)} beyond it. Without your agreement ${held.length === 1 ? "it has" : "they have"} no effect:`,
    ...held.slice(0, MOST_LINES).map(({ says }) => `  - ${says}`),
    ...(more > 0 ? [`  - and ${more} more`] : []),
    `  ${fixFor(held)}`,
  ];
}

/** Describes how to agree to parts without effect. */
function fixFor(held: readonly ReachStatus[]): string {
  const parts = [
    ...(listWaiting({ reaches: held }).length > 0 ? ["coordinator trust shows it and asks you once."] : []),
    ...(held.some(({ status }) => status === "own_settings")
      ? [`Addresses of this machine or near it, and models, only your own settings can allow: ${OWN}.`]
      : []),
    ...(held.some(({ status }) => status === "refused") ? ["Places for logins and keys are never shown."] : []),
  ];
  return parts.join(" ");
}

const countThings = (n: number) => (n === 1 ? "one thing" : `${n} things`);
