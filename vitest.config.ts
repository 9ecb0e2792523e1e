import { defineConfig, type ViteUserConfig } from "vitest/config";
import { SlowestFiles } from "./test/slowest-files.ts";

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/patient-waits.ts"],
    reporters: ["default", new SlowestFiles()],
    // Time limits only count when a test fails, and a machine may be busy with six other things.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "compat/**/*.test.ts", "web/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "PostgreSQL",
          // The other journeys are about files of the data folder, and about the UI, which knows only the API.
          include: [
            "test/journeys/{checks,crash,hostile-recipients,leaving,limits,operator,senders,texts,way-in}.test.ts",
          ],
          env: { RESTANTE_TEST_STORE: "postgres" },
        },
      },
    ],
    // Two cores on a shared machine: more workers only take turns.
    maxWorkers: 2,
  },
});
export default config;
