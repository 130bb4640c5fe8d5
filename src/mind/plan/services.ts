import { canonicalBytes } from "../../foundation/canonical-json/canonical-bytes.js";
import { canonicalJson } from "../../foundation/canonical-json/canonical.js";

/** Services that the mind needs of the world. Passed in, so that it stays a function of its inputs. */
export interface Services {
  /** SHA-256 of the text's UTF-8 bytes, 64 lower-case hex characters. */
  readonly sha256: (text: string) => string;
  /** Hashes bytes as they come, for values too large to hold as one text. A piece is only good while it is taken. */
  readonly sha256Of?: (feed: (take: (piece: Uint8Array) => void) => void) => string;
  readonly coordinatorVersion: string;
}

/** SHA-256 of a value's canonical form. */
export function checksumOf(value: unknown, { sha256, sha256Of }: Services): string {
  return sha256Of === undefined ? sha256(canonicalJson(value)) : sha256Of((take) => canonicalBytes(value, take));
}
