import { Option } from "commander";
import { seconds } from "../runs.js";

/* Options that every command of a decision has. */

export const BY = "who decides; your name in git when absent";

export function waitOption(): Option {
  return new Option("--wait <seconds>", "how long to wait for a process that works on the run")
    .argParser(seconds)
    .default(5000, "5");
}
