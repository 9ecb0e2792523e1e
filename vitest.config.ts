import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { mainFileVariable } from "./src/testing/run-variables.ts";
import { bundledMain, bundledWorkers } from "./test/bundle-service.ts";
import { FailedTests } from "./test/failed-tests.ts";
import { SlowestFiles } from "./test/slowest-files.ts";
import { SlowFilesFirst } from "./test/slow-files-first.ts";

/** Further setup of projects with property tests. */
const setupFiles = ["test/fixed-seed.ts"];

/** Test files that change their process, or are programs that start others: each has a process of its own. */
const isolated = [
  "test/{package,snippets}/**/*.test.ts",
  "test/journeys/{disk-full,memory,previews,stopping}.test.ts",
  "test/journeys/providers/intercept.test.ts",
  "compat/**/*.test.ts",
];

/**
 * Journeys that run on PostgreSQL too. The others concern files of the data directory, or clients such as libraries for SMTP
 * and the web UI, which use only the protocols: the conformance suite stores any bytes.
 */
const databaseJourneys =
  "test/journeys/{callback-delivery,checks,crash,hostile-recipients,limits,link-scanners,operator,outbound,quarantine,scheduled-mail,search-servers,sms,webhooks}.test.ts";

/** Whether there is a running Citus, as in `npm run compat:citus`. */
const hasCitus = process.env["RESTANTE_TEST_CITUS"] !== undefined;
const onCitus = { isolate: false, setupFiles, env: { RESTANTE_TEST_STORE: "citus" } };

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

// Tests that start processes load the module that reads it, before which the bundle is built.
process.env[mainFileVariable] = bundledMain;

const config: ViteUserConfig = defineConfig({
  plugins: [bundledWorkers],
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/apply-time-limits.ts"],
    reporters: ["default", new SlowestFiles(), new FailedTests()],
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["src/**/*.test.ts", "web/**/*.test.ts", "test/**/*.test.ts"],
          exclude: isolated,
          // Each worker loads the module graph once: 550 files share some 500 modules.
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
      { extends: true, test: { name: "isolated", include: isolated } },
      {
        extends: true,
        test: {
          name: "PostgreSQL",
          include: [databaseJourneys],
          isolate: false,
          setupFiles,
          env: { RESTANTE_TEST_STORE: "postgres" },
        },
      },
      {
        extends: true,
        test: {
          ...onCitus,
          name: "Citus",
          include: hasCitus ? ["src/store/postgres/schema/citus.test.ts", databaseJourneys] : [],
        },
      },
      // Kills processes of the cluster that others use.
      {
        extends: true,
        test: { ...onCitus, name: "killed Citus", include: hasCitus ? ["test/journeys/citus.test.ts"] : [] },
      },
    ],
    // Tests wait for processes, threads and sockets half of the time, so five workers keep two cores busy.
    maxWorkers: 5,
    // The heap of a worker grows to hundreds of megabytes; V8 would mark it many times on the way, for a tenth of the CPU time.
    execArgv: ["--initial-old-space-size=600"],
  },
});
export default config;
