import { fileURLToPath } from "node:url";
import { placeIn } from "../../../foundation/documents/path-segments.js";
import type { ReadBytes } from "../../../foundation/files/read-once.js";
import { readShipped } from "../../../foundation/documents/shipped-document.js";
import { Contract } from "../../../model/settings/contract.js";
import { type Diagnostic, diagnosticsOf } from "../../../model/diagnostic.js";
import { findContract } from "./find-contract.js";

export const SHIPPED_CONTRACT = fileURLToPath(new URL("../../../../policy/contract.yaml", import.meta.url));

export type LoadedContract =
  | { readonly ok: true; readonly contract: Contract; readonly file: string | null }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/** The project's own contract, else the shipped one. Contract: one that is wrong is not a contract, and has problems. */
export async function loadContract(from: string, read?: ReadBytes): Promise<LoadedContract> {
  const file = findContract(from);
  // The contract that `init` writes is the shipped one, to the letter.
  const document = await readShipped(file ?? SHIPPED_CONTRACT, { read });
  if (!document.ok) return { ok: false, problems: document.diagnostics };
  const parsed = Contract.safeParse(document.value);
  if (parsed.success) return { ok: true, contract: parsed.data, file };
  const place = { file: file ?? SHIPPED_CONTRACT, locate: document.locate };
  return { ok: false, problems: placeIn(place, diagnosticsOf(parsed.error, "DOCUMENT_INVALID")) };
}
