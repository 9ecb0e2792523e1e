import { Problem, type FieldProblem } from "./errors.ts";

/** Field errors that one response reports; further ones are dropped, so that a body cannot make a large response. */
const fieldErrorCountMax = 50;

/** Collects the field errors of a request, so that one response reports all of them. */
export class FieldCollector {
  readonly #fields: FieldProblem[] = [];

  /** Adds a field error. */
  add(field: FieldProblem): void {
    if (this.#fields.length < fieldErrorCountMax) this.#fields.push(field);
  }

  /** Returns what `read` returns; undefined when it throws field errors, which are collected. Other errors are rethrown. */
  collect<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      this.#addFieldsOf(error);
      return undefined;
    }
  }

  /** As {@link collect}, for what rejects. */
  async collectAsync<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#addFieldsOf(error);
      return undefined;
    }
  }

  /** Throws a 400 with all collected field errors, if there are any. */
  finish(): void {
    if (this.#fields.length > 0) throw new Problem("invalid_request", { fields: this.#fields });
  }

  #addFieldsOf(error: unknown): void {
    if (!(error instanceof Problem) || error.fields.length === 0) throw error;
    for (const field of error.fields) this.add(field);
  }
}

/** Runs all checks of a request and throws one 400 with the field errors of all of them. */
export function checkAll(...checks: readonly (() => void)[]): void {
  const collector = new FieldCollector();
  for (const check of checks) collector.collect(check);
  collector.finish();
}
