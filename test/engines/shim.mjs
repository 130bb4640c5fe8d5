// A shim of this machine for the work of the engines' tests.
import { runShim } from "../../dist/hands/attempts/shim/run-shim.js";
import { act } from "./bodies.mjs";

await runShim(process.argv[2], { act });
