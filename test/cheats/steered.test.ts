import { cheats, honest, project } from "./cases/steered.js";
import { judgeCases } from "./judge-cases.js";

judgeCases("results whose checks are steered by files", project, { cheat: cheats, honest });
