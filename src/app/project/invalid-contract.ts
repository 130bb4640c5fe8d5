import { CoordinatorError } from "../../model/errors.js";

/** A contract that cannot be read permits nothing. */
export function invalidContract(problems: readonly { path: string; message: string; file?: string; line?: number }[]) {
  const told = problems.map(({ file, line, path, message }) => `${file ?? ""}:${line ?? 1} ${path} ${message}`);
  return new CoordinatorError("DOCUMENT_INVALID", `The contract is not a contract: ${told.slice(0, 5).join("; ")}`, {
    fix: "Mend it, or remove it to use the shipped one.",
  });
}
