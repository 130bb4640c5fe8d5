// What tsc leaves undone: it copies no file that is not TypeScript, and does not mark the program executable.
import { chmod, cp } from "node:fs/promises";

const at = (path) => new URL(`../${path}`, import.meta.url);
await cp(at("src/store/sqlite/migrations"), at("dist/store/sqlite/migrations"), { recursive: true });
await chmod(at("dist/cli/main.js"), 0o755);
