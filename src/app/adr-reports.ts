import type { Breakdown } from "../mind/adr/break-down.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { ExitCode } from "./exit-codes.js";
import type { ParsedAdr } from "../mind/adr/parse-adr.js";

/* Reports of the commands about decision records. */
export type AdrReport = AdrsChecked | AdrsListed | AdrsWatched;

/** A decision record that was read, or why it was not. */
export type AdrRecord =
  | {
      readonly ok: true;
      readonly adr: ParsedAdr;
      readonly breakdown: Breakdown;
      readonly checksum: string;
      /** The newest run that carries it out, and whether the record has changed since. */
      readonly taken: { readonly run_id: string; readonly changed: boolean } | null;
    }
  | { readonly ok: false; readonly file: string; readonly problems: readonly Diagnostic[] };

export interface AdrsChecked {
  readonly type: "adr_check";
  readonly records: readonly AdrRecord[];
}

export interface AdrsWatched {
  readonly type: "adr_watch";
  readonly picked: readonly {
    readonly label: string;
    readonly file: string;
    readonly runId: string | null;
    readonly message: string;
    readonly exitCode: ExitCode;
  }[];
  /** Records that are not what they were when they were taken. */
  readonly changed: readonly { readonly label: string; readonly file: string; readonly run_id: string | null }[];
  /** How many were accepted before anybody watched. */
  readonly before: number;
}

export interface AdrsListed {
  readonly type: "adr_list";
  readonly folders: readonly string[];
  readonly records: readonly AdrRecord[];
}
