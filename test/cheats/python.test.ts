import { cheats, honest, project } from "./cases/python.js";
import { judgeCases } from "./judge-cases.js";

judgeCases("results in Python", project, { cheat: cheats, honest });
