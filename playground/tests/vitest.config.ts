import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests run two at a time, because they mostly wait. Measurements run alone. */
const MEASURED = ["speed.test.ts", "start_speed.test.ts"];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    globalSetup: "driver/launch.ts",
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5000 } },
    projects: [
      {
        extends: true,
        test: { name: "visits", include: ["*.test.ts"], exclude: MEASURED, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: "measured", include: MEASURED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
