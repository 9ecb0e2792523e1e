import { Problem, type FieldProblem } from "./errors.ts";

/** Field errors that one response reports; further ones are dropped, so that a body cannot make a large response. */
const fieldErrorCountMax = 50;

/** Collects the field errors of a request, so that one response reports all of them. */
export class FieldCollector {
  readonly #fields: FieldProblem[] = [];

  /** Fields that have an error. */
  get wrongFields(): readonly string[] {
    return this.#fields.map(({ field }) => field);
  }

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

  /** As {@link collect}, for a member of the request: the fields of its errors are relative to it. */
  collectInside<Value>(parent: string, read: () => Value): Value | undefined {
    const own = new FieldCollector();
    const value = own.collect(read);
    for (const one of own.#fields) this.add({ ...one, field: `${parent}.${one.field}` });
    return value;
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

  /** As {@link collect}, without errors of fields that already have one, or whose parent or member has one. */
  collectOthers(read: () => void): void {
    const others = new FieldCollector();
    others.collect(read);
    const known = this.wrongFields;
    for (const one of others.#fields) if (!known.some((field) => isSameOrInside(field, one.field))) this.add(one);
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

/** Whether one of two fields is the other, or inside it. */
function isSameOrInside(one: string, other: string): boolean {
  const [outer, inner] = one.length <= other.length ? [one, other] : [other, one];
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** Runs all checks of a request and throws one 400 with the field errors of all of them. */
export function checkAll(...checks: readonly (() => void)[]): void {
  const collector = new FieldCollector();
  for (const check of checks) collector.collect(check);
  collector.finish();
}
