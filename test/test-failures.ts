/** Failed tests of a run, as `failed-tests.ts` writes and `scripts/check.ts` reads them. */
export interface TestFailures {
  readonly files: readonly FailedFile[];
  /** Errors that no test or hook threw. */
  readonly unhandledErrors: readonly string[];
}

/** Test file with at least one failure; `file` is relative to the project, `project` is its Vitest project. */
export interface FailedFile {
  readonly file: string;
  readonly project: string;
  readonly tests: readonly { readonly name: string; readonly message: string }[];
}

/** Returns one block of lines for each failure: file, project, test, and the message of its error. */
export function describeFailures({ files, unhandledErrors }: TestFailures): string {
  const blocks = [
    ...files.flatMap(({ file, project, tests }) =>
      tests.map(({ name, message }) => `  ${file} (${project}) > ${name}\n      ${message}\n`),
    ),
    ...unhandledErrors.map((message) => `  outside of a test\n      ${message}\n`),
  ];
  return blocks.join("");
}
