import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

// Loaded with `node --import` into the Coordinator: writes the path of every file it opens to the file that COUNT_READS
// names. The one reader of files opens each by its name first, synchronously (`foundation/files/read-files.ts`).
const { COUNT_READS } = process.env;
if (COUNT_READS !== undefined && process.argv[1]?.endsWith("/dist/cli/main.js")) {
  const { openSync, writeSync } = fs;
  const log = openSync(COUNT_READS, "a");
  fs.openSync = (path, ...rest) => {
    writeSync(log, `${String(path)}\n`);
    return openSync(path, ...rest);
  };
  syncBuiltinESMExports();
}
