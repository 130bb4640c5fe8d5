import type { Diagnostic } from "../../../model/diagnostic.js";
import type { ExecutionIntent, IntentLock } from "../../../model/plan/intent.js";
import type { PreparedRegistry } from "../inputs.js";
import { findBrokenTexts, findIdProblems, findUnsafePaths } from "./intent-problems.js";
import { parseIntent } from "../parse-intent.js";
import { registryVersions, validateRegistryRefs } from "./registry-references.js";
import { intentChecksumOf } from "../rules/precheck.js";
import type { Services } from "../services.js";

export type SealResult =
  | { readonly ok: true; readonly intent: ExecutionIntent; readonly lock: IntentLock | null }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/**
 * Write into an intent what proves it later: the registry versions it was made against and its own checksum. A v0.9.1
 * intent has no room for the versions; they go to a lock file beside it.
 */
export function sealIntent(document: unknown, registry: PreparedRegistry, services: Services): SealResult {
  const result = parseIntent(withSomeChecksum(document));
  if (!result.ok) return result;
  const { parsed } = result;
  const missing = validateRegistryRefs(parsed, registry.index);
  const problems = [
    ...findBrokenTexts(parsed.intent),
    ...findIdProblems(parsed),
    ...findUnsafePaths(parsed),
    ...missing.map(({ kind, id, why }) => ({
      code: "REGISTRY_MISSING",
      path: id,
      message: `the ${kind} ${id} is ${why === "missing" ? "not in the registry" : why}`,
    })),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const versions = registryVersions(parsed, registry.registry, registry.index);
  const versioned: ExecutionIntent =
    parsed.schemaVersion === "1.0.0" ? { ...parsed.intent, registry_versions: versions } : parsed.intent;
  const checksum = intentChecksumOf(versioned, services);
  const intent: ExecutionIntent = { ...versioned, audit: { ...versioned.audit, checksum } };
  const lock: IntentLock | null =
    parsed.schemaVersion === "1.0.0"
      ? null
      : { schema_version: "1.0.0", intent_id: intent.id, intent_checksum: checksum, registry_versions: versions };
  return { ok: true, intent, lock };
}

/** An intent that was never sealed has no checksum yet; that alone must not keep it from being sealed. */
function withSomeChecksum(document: unknown): unknown {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
  const { audit } = document as { audit?: unknown };
  if (typeof audit !== "object" || audit === null || Array.isArray(audit)) return document;
  return { ...document, audit: { ...audit, checksum: "0".repeat(64) } };
}
