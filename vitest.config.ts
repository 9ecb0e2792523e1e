import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
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
