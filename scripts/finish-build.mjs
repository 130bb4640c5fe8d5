// tsc does not mark the program executable, and npm only does so on install.
import { chmod } from "node:fs/promises";

await chmod(new URL("../dist/cli/main.js", import.meta.url), 0o755);
