import { relative } from "node:path";
import { boardPaths } from "../../hands/board/protect.js";
import { configuredAnchors } from "../prove/anchors.js";
import { boardSettings } from "../inspect/board.js";
import type { Project } from "./project.js";

/**
 * Files that the Coordinator itself writes into a repository beside `.coordinator/`, as globs from its root: the board, and
 * files of anchors. None of them is uncommitted work of a person.
 *
 * Contract: settings that are wrong name nothing; commands that carry something out report them.
 */
export async function ownFiles(project: Project): Promise<string[]> {
  const { root } = project;
  const { configuration, problems } = await project.settings();
  if (problems.length > 0) return [];
  const settings = boardSettings(configuration, await project.contractInForce(false));
  const files = configuredAnchors(configuration.record, project)
    .filter((place) => !place.startsWith("git:"))
    .map((place) => relative(root, place))
    .filter((place) => !place.startsWith(".."));
  return [...(settings === null ? [] : boardPaths(settings)), ...files];
}
