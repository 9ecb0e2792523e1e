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
