import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/seed.ts", "test/hanging.ts"],
    // Guards against hanging only: a busy machine is slow, and slow is not wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two cores everywhere: more files at once only makes the slow ones slower.
    maxWorkers: 2,
  },
});
