import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { bundledWorkers } from "./test/bundle-service.ts";
import { FailedTests } from "./test/failed-tests.ts";
import { SlowestFiles } from "./test/slowest-files.ts";
import { SlowFilesFirst } from "./test/slow-files-first.ts";

/** Further setup of projects with property tests. */
const setupFiles = ["test/fixed-seed.ts"];

/** Test files that start processes, change the environment, or need a module graph of their own. */
const isolated = ["test/{journeys,package,snippets}/**/*.test.ts", "compat/**/*.test.ts"];

/** Journeys that leave the test process as they found it, and share a module graph. */
const sharing = [
  "test/journeys/providers/!(intercept).test.ts",
  "test/journeys/!(disk-full|memory|previews|stopping).test.ts",
];

/** Component tests. */
const component = {
  include: ["web/**/*.test.tsx"],
  environment: "jsdom",
  setupFiles: ["web/testing/patient-queries.ts", "web/testing/restore-page.ts"],
};

/** Component tests that replace modules, and need a module graph of their own. */
const replacing = ["web/list/message-row.test.tsx"];

// Stores start threads and journeys start processes, hundreds of each: without compiled code at hand, loading their
// modules takes half of the CPU time of a run.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "restante");

const config: ViteUserConfig = defineConfig({
  plugins: [bundledWorkers],
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/patient-waits.ts"],
    reporters: ["default", new SlowestFiles(), new FailedTests()],
    // Time limits only matter for a test that hangs; the machine may be busy with other work.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
          exclude: isolated,
          // Each worker loads the module graph once: 300 files share some 500 modules.
          isolate: false,
          setupFiles,
        },
      },
      {
        extends: true,
        test: {
          ...component,
          name: "web",
          exclude: replacing,
          // React, jsdom and the components take longer to load than the tests take.
          isolate: false,
        },
      },
      { extends: true, test: { ...component, name: "web with replaced modules", include: replacing } },
      { extends: true, test: { name: "journeys", include: isolated, exclude: sharing } },
      { extends: true, test: { name: "sharing journeys", include: sharing, isolate: false, setupFiles } },
      {
        extends: true,
        test: {
          name: "PostgreSQL",
          // The other journeys concern files of the data directory, or clients such as libraries for SMTP and the web UI,
          // which use only the protocols: the conformance suite stores any bytes.
          include: [
            "test/journeys/{callback-delivery,checks,crash,hostile-recipients,limits,link-scanners,operator,outbound,scheduled-mail,search-servers,sms,webhooks}.test.ts",
          ],
          isolate: false,
          setupFiles,
          env: { RESTANTE_TEST_STORE: "postgres" },
        },
      },
    ],
    // Journeys wait for processes and sockets half of the time, so three workers keep two cores busy.
    maxWorkers: 3,
  },
});
export default config;
