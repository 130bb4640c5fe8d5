import { pathInside } from "../../foundation/files/project-bounds.js";
import { readFile } from "../../foundation/files/read-files.js";
import { CoordinatorError } from "../../model/errors.js";
import type { CommandContext } from "../command-context.js";
import { boardSettings } from "./board.js";

/** The project on one page, as it was written last. Contract: nothing is written; throws NOT_FOUND where there is none. */
export async function showBoard({ project, approved }: CommandContext): Promise<string> {
  const { root } = project;
  const { configuration } = await project.settings();
  const settings = boardSettings(configuration, await project.contractInForce(approved));
  if (settings === null || settings.hq === false)
    throw new CoordinatorError("NOT_FOUND", "No board is kept in this project", {
      fix: "coordinator init sets it up; or add `board: {}` to coordinator.yaml.",
    });
  try {
    return await readFile(pathInside(root, settings.hq), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new CoordinatorError("NOT_FOUND", `${settings.hq} is not written yet`, {
      fix: "The first run writes it: coordinator run.",
    });
  }
}
