import { InvalidArgumentError, Option } from "commander";

/* Options of trying setup and checks on HEAD. */

export function noChecksOption(): Option {
  return new Option("--no-checks", "do not run setup and checks on HEAD");
}

export function minutesOption(): Option {
  return new Option(
    "--minutes <n>",
    "stop setup and each check after this long, where their own limits are later",
  ).argParser((value: string) => {
    const minutes = Number(value);
    if (!(minutes > 0 && minutes <= 1440))
      throw new InvalidArgumentError("It must be a number of minutes, at most 1440.");
    return minutes;
  });
}
