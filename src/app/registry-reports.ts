import type { Diagnostic } from "../model/diagnostic.js";
import type { FactPack, MemoryPack } from "../model/settings/packs.js";
import type { RegistryEntry } from "../model/plan/registry.js";

/* Reports of the commands about the registry and the packs. */
export type RegistryReport =
  | RegistryChecked
  | RegistryListed
  | RegistryShown
  | RegistryDrafted
  | FactsCollected
  | MemoryBuilt;

export interface RegistryChecked {
  readonly type: "registry_check";
  readonly directories: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly Diagnostic[];
}

interface RegistryListed {
  readonly type: "registry_list";
  readonly entries: readonly { readonly entry: RegistryEntry; readonly place: string }[];
}

interface RegistryShown {
  readonly type: "registry_entry";
  readonly entries: readonly { readonly entry: RegistryEntry; readonly place: string; readonly yaml: string }[];
}

export interface RegistryDrafted {
  readonly type: "registry_draft";
  readonly files: readonly {
    readonly path: string;
    readonly yaml: string;
    readonly status: "drafted" | "written" | "exists";
  }[];
}

export interface FactsCollected {
  readonly type: "facts";
  readonly pack: FactPack;
  /** Facts of the file that was there before and that nobody can see in a repository. */
  readonly kept: readonly string[];
  /** Facts the registry declares and nobody has said yet. */
  readonly unknown: readonly string[];
  readonly writtenTo: string;
}

export interface MemoryBuilt {
  readonly type: "memory";
  readonly pack: MemoryPack;
  readonly learned: { readonly observations: number; readonly plans: number };
  readonly writtenTo: string;
}
