import { GuardrailEntry } from "../../model/plan/registry.js";

const MOST_FILES = 200;

/**
 * The guardrail that keeps decision records which runs were begun with from agents: an approved record is never changed.
 *
 * Contract: pure. The files are named from the root; none gives no guardrail.
 */
export function recordGuardrails(files: readonly string[]): GuardrailEntry[] {
  const isPlain = (path: string) => !/^\/|^\.\.\/|[*?[\]{}!\\]/.test(path);
  const paths = [...new Set(files)].filter(isPlain).slice(-MOST_FILES);
  if (paths.length === 0) return [];
  return [
    GuardrailEntry.parse({
      kind: "guardrail",
      id: "protect_taken_records",
      version: "1.0.0",
      status: "active",
      title: "Decision records that were carried out",
      watches: "result",
      severity: "frozen",
      override: "nobody",
      reason: "A record that was approved stays as it is (modify_adr); a new record replaces it.",
      paths,
      changes: ["modified", "deleted", "typechanged"],
    }),
  ];
}
