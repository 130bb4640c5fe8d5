import { mkdirSync, rmSync } from "../../../files/write-files-sync.js";
import { join } from "node:path";
import { stateDirectory } from "../../places.js";
import { viewOf } from "./shown-places.js";

/* The private trees of one cage. They lie on the disk of the state directory, where hard links into homes are possible. */

export interface Views {
  readonly folder: string;
  /** The place to mount for a file or folder. Contract: as `viewOf`. */
  readonly of: (real: string) => Promise<string>;
  readonly remove: () => void;
}

export function openViews(id: string, state: string): Views {
  const folder = viewsFolder(id) ?? join(state, "views");
  const made = new Map<string, Promise<string>>();
  const of = (real: string): Promise<string> => {
    const known = made.get(real);
    if (known !== undefined) return known;
    const view = viewOf(real, folder, String(made.size));
    made.set(real, view);
    return view;
  };
  return { folder, of, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Null where there is no state directory, and none can be made. */
function viewsFolder(id: string): string | null {
  const directory = stateDirectory(process.env);
  if (directory === null) return null;
  try {
    mkdirSync(join(directory, "shown"), { recursive: true, mode: 0o700 });
    return join(directory, "shown", id);
  } catch {
    return null;
  }
}
