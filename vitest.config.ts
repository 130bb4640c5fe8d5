import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/seed.ts"],
    testTimeout: 60_000,
    // Two cores everywhere: more files at once only makes the slow ones slower.
    maxWorkers: 2,
  },
});
