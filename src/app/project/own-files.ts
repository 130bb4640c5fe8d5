import { relative } from "node:path";
import { boardPaths } from "../../hands/board/protect.js";
import { loadConfiguration } from "../../hands/settings/load-configuration.js";
import { configuredAnchors } from "../prove/anchors.js";
import { boardSettings } from "../inspect/board.js";
import { contractAt } from "./contract.js";

/**
 * What the Coordinator itself writes into a repository beside `.coordinator/`, as globs from its root: the board, and
 * files of anchors. None of it is somebody's uncommitted work.
 *
 * Contract: settings that are wrong name nothing; whoever carries something out is told of them.
 */
export async function ownFiles(root: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const { configuration, problems } = await loadConfiguration(root, environment);
  if (problems.length > 0) return [];
  const settings = boardSettings(configuration, await contractAt(root, false));
  const files = configuredAnchors(configuration.record, { root, environment })
    .filter((place) => !place.startsWith("git:"))
    .map((place) => relative(root, place))
    .filter((place) => !place.startsWith(".."));
  return [...(settings === null ? [] : boardPaths(settings)), ...files];
}
