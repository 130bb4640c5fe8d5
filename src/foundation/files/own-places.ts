import { basename } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import { projectPathOf, STATE_FOLDER } from "./project-bounds.js";

/*
 * Files that this program writes into a project by itself: settings, plans and files for people. It never writes source, which
 * builders do in an attempt (write_code), and never a decision record (modify_adr), whatever a setting, a flag or a file of
 * the project names as the place to write to. Every writer outside of attempts asks here first.
 */

const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|pyi|rb|go|rs|java|kts?|scala|groovy|c|h|cc|hh|cpp|hpp|cxx|cs|fs|vb|php|swift|mm?|sh|bash|zsh|fish|ps1|bat|pl|pm|lua|exs?|erl|hs|clj[cs]?|dart|vue|svelte|sql|html?|css|s[ac]ss|less|tf|gradle|cmake|proto|ipynb)$/i;
const BUILD_FILE =
  /^(?:Makefile|Dockerfile|Jenkinsfile|Rakefile|Gemfile|CMakeLists\.txt|package\.json|go\.mod|Cargo\.toml)$/;

const RECORD_FOLDER = /(?:^|\/)(?:adrs?|(?:docs?|architecture)\/decisions|decisions)\//i;
const RECORD_NAME = /^adr[-_ ]?\d.*\.(?:md|markdown|adoc|asciidoc|rst|org)$/i;
const PROSE = /\.(?:md|markdown|adoc|asciidoc|rst|org)$/i;

/** Contract: throws CONTRACT_FORBIDS for a place in a project that is not the Coordinator's to write. */
export function requireOwnPlace(path: string): void {
  const inside = projectPathOf(path);
  if (inside === null || inside.names[0] === STATE_FOLDER) return;
  const from = inside.names.join("/");
  const name = basename(from);
  if (PROSE.test(name) && (RECORD_FOLDER.test(from) || RECORD_NAME.test(name)))
    throw refusedAccess("modify_adr", from, "it is the place of a decision record, and records are only read");
  if (SOURCE.test(name) || BUILD_FILE.test(name))
    throw refusedAccess("write_code", from, "it is source, and only builders write that, in an attempt");
}

function refusedAccess(action: string, path: string, why: string): CoordinatorError {
  return new CoordinatorError(
    "CONTRACT_FORBIDS",
    `The contract forbids this: forbidden_actions: ${action}. ${path} is not written: ${why}`,
    { fix: "Name another file: what is written here is JSON, YAML or Markdown, and none of it is a decision record." },
  );
}
