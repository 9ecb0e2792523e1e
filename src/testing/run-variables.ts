/** Environment variables that a test run sets for its processes. */

/** Directory of the run. */
export const runFolderVariable = "RESTANTE_TEST_RUN";

/** Main file of the bundle that `test/bundle-service.ts` builds. */
export const mainFileVariable = "RESTANTE_TEST_MAIN";
