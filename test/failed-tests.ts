/** Vitest reporter that repeats the failed tests at the very end of a run, and writes them to a file on request. */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { describeFailures, type FailedFile, type TestFailures } from "./test-failures.ts";

const messageLengthMax = 2000;

/**
 * Prints each failed test with the message of its first error, and nothing when all tests passed. Also writes them as
 * {@link TestFailures} to the file that the environment variable `RESTANTE_TEST_FAILURES` names.
 */
export class FailedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const failures: TestFailures = {
      files: modules.filter((module) => module.state() === "failed").map((module) => failedFile(module)),
      unhandledErrors: unhandledErrors.map((error) => messageOf(error)),
    };
    const target = process.env["RESTANTE_TEST_FAILURES"];
    if (target !== undefined) writeFileSync(target, JSON.stringify(failures));
    const description = describeFailures(failures);
    if (description !== "") process.stdout.write(`\nFailed tests\n${description}`);
  }
}

function failedFile(module: TestModule): FailedFile {
  const tests = [...module.children.allTests("failed")].map((test) => ({
    name: test.fullName,
    message: messageOf(test.result().errors?.[0]),
  }));
  // Errors of a file or a suite, for example of a hook, belong to no test.
  const suites = [module, ...module.children.allSuites()];
  const outside = suites.flatMap((suite) =>
    suite.errors().map((error) => ({ name: "outside of a test", message: messageOf(error) })),
  );
  return { file: module.relativeModuleId, project: module.project.name, tests: [...tests, ...outside] };
}

function messageOf(error: SerializedError | undefined): string {
  const { message, stack } = error ?? {};
  const place = stack?.split("\n").find((line) => /^\s+at |\.tsx?:/.test(line));
  return [(message ?? "no error was recorded").slice(0, messageLengthMax), place?.trim()]
    .filter((part) => part !== undefined)
    .join("\n")
    .replaceAll("\n", "\n      ");
}
