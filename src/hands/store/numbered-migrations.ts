import { readFileSync, readdirSync } from "../../foundation/files/read-files.js";

/** One numbered change of a store's shape. A breaking one is not understood by programs that do not know it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly breaking: boolean;
  readonly sql: string;
}

/** Contract: in the order of their numbers, which begin at 1 and leave none out; throws TypeError otherwise. */
export function readMigrationsIn(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file, i) => readMigration(file, readFileSync(`${folder}/${file}`, "utf8"), i + 1));
}

function readMigration(file: string, sql: string, number: number): Migration {
  const [, digits] = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file) ?? [];
  const [, breaking] = /^-- breaking: (yes|no)$/m.exec(sql) ?? [];
  if (Number(digits) !== number || breaking === undefined)
    throw new TypeError(`${file} must be numbered ${number} and say "-- breaking: yes" or "-- breaking: no"`);
  return { number, name: file, breaking: breaking === "yes", sql };
}
