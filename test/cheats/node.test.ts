import { cheats, honest, project, unseeable } from "./cases/node.js";
import { judgeCases } from "./judge-cases.js";

judgeCases("results in JavaScript", project, { cheat: cheats, honest, unseeable });
