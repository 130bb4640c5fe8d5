import { cheats, honest, project } from "./cases/native.js";
import { judgeCases } from "./judge-cases.js";

judgeCases("results in C and shell", project, { cheat: cheats, honest });
