import type { Finding } from "../../model/settings/check.js";

/**
 * Whether a finding is not a test but a file or package of tests that could not be loaded, or a message of a compiler: as
 * readers of reports name them. None of its tests has run.
 */
export function isUncollected({ id, status, message }: Pick<Finding, "id" | "status" | "message">): boolean {
  if (status !== "failed") return false;
  if (!id.startsWith("test:")) return true;
  if (/^test:.* loads$/.test(id) || /^test:\S*\.(?:py|[cm]?[jt]sx?)$/.test(id)) return true;
  if (/^test:\w+ \(unittest\.loader\._FailedTest\b/.test(id)) return true;
  return /^test:\S+ \(package\)$/.test(id) && /\[?(?:build|setup) failed\]?/.test(message);
}
