/** Rows that a slice of a search compares: those of candidates, alone or merged with those of a scan. */
import type { Candidate } from "./candidates.ts";

/** Candidates that are compared together first and at most. */
const candidateCountFew = 16;
const candidateCountMax = 256;
const growthFactor = 2;

/** Row of a candidate, compared as far as its columns decide. */
export interface ComparedRow {
  readonly id: Uint8Array;
  readonly content: number;
  /** 1 when the columns decide that the row matches, 0 when they exclude it, null when its body must be compared. */
  readonly verdict: 0 | 1 | null;
}

/** Returns candidates as the parameter `:candidates` of {@link selectCandidates}. */
export function writeCandidates(candidates: readonly Candidate[]): string {
  const values = candidates.map(
    ({ id, mayMatchBody }) => `${mayMatchBody ? "1" : "0"}${Buffer.from(id).toString("hex")}`,
  );
  return JSON.stringify(values);
}

/**
 * Returns the query of the rows that may match among `:candidates` of `:epoch`, in their order. `conditionWithoutBodies` decides
 * where no body contains any term.
 */
export function selectCandidates(condition: string, conditionWithoutBodies: string): string {
  return `select id, content, verdict from (
    select s.id, s.content,
      case when c.value < '1' then (${conditionWithoutBodies}) else (${condition}) end as verdict
    from json_each(:candidates) c cross join subject s where s.epoch = :epoch and s.id = unhex(substr(c.value, 2)))
    where verdict is not 0`;
}

/**
 * Yields the rows of candidates that may match, given and yielded newest first; after each group of candidates a row of the last
 * one, so that a search knows how far it is. Yields undefined where the candidates do. `read` returns the rows of some candidates.
 */
export function* compareCandidates(
  candidates: Iterable<Candidate | undefined>,
  read: (group: readonly Candidate[]) => Iterable<ComparedRow>,
): Generator<ComparedRow | undefined> {
  let countMax = candidateCountFew;
  let group: Candidate[] = [];
  let previous: Uint8Array | undefined;
  for (const candidate of candidates) {
    const isNew = previous === undefined || candidate === undefined || Buffer.compare(previous, candidate.id) !== 0;
    if (candidate !== undefined && isNew) group.push(candidate);
    previous = candidate?.id ?? previous;
    if (candidate !== undefined && group.length < countMax) continue;
    yield* compareGroup(group, read);
    if (group.length >= countMax) countMax = Math.min(countMax * growthFactor, candidateCountMax);
    group = [];
    if (candidate === undefined) yield undefined;
  }
  yield* compareGroup(group, read);
}

function* compareGroup(
  group: readonly Candidate[],
  read: (group: readonly Candidate[]) => Iterable<ComparedRow>,
): Generator<ComparedRow> {
  const last = group.at(-1);
  if (last === undefined) return;
  yield* read(group);
  yield { id: last.id, content: 0, verdict: 0 };
}

/** Yields the ids of candidates, and undefined where they do. */
export function* idsOf<Given extends Candidate | undefined>(
  candidates: Iterable<Given>,
): Generator<Uint8Array | Extract<Given, undefined>> {
  for (const candidate of candidates) yield candidate?.id as Uint8Array | Extract<Given, undefined>;
}

/** Row with an id. */
interface Row {
  readonly id: Uint8Array;
}

/**
 * Merges rows and ids, both newest first, without duplicates; a row replaces an equal id. Yields undefined where the ids do,
 * after a unit of work. Reads the rows only as far as needed.
 */
export function* mergeNewest<Found extends Row>(
  rows: Iterable<Found>,
  ids: Iterable<Uint8Array | undefined>,
): Generator<Found | Uint8Array | undefined> {
  const rest = rows[Symbol.iterator]();
  let row = rest.next();
  let previous: Uint8Array | undefined;
  try {
    for (const id of ids) {
      if (id === undefined) {
        yield undefined;
        continue;
      }
      while (row.done !== true && Buffer.compare(row.value.id, id) >= 0) {
        previous = row.value.id;
        yield row.value;
        row = rest.next();
      }
      if (previous === undefined || Buffer.compare(previous, id) !== 0) yield id;
      previous = id;
    }
    while (row.done !== true) {
      yield row.value;
      row = rest.next();
    }
  } finally {
    rest.return?.();
  }
}

/** Bytes that one slice decompresses; a longer text is decompressed in a slice of its own. */
const sliceBytesMax = 2 * 1024 * 1024;

/** Budget of time and bytes for one slice of a search. */
export class SearchSlice {
  readonly #end: number;
  #byteCount = 0;

  /** `msMax`: milliseconds from now. */
  constructor(msMax: number) {
    this.#end = performance.now() + msMax;
  }

  /** Reserves the bytes of a text that will be decompressed; false when it must wait for the next slice. */
  admit(byteCount: number): boolean {
    if (this.#byteCount > 0 && this.#byteCount + byteCount > sliceBytesMax) return false;
    this.#byteCount += byteCount;
    return true;
  }

  /** Whether the slice should end. */
  get isOver(): boolean {
    return this.#byteCount >= sliceBytesMax || performance.now() > this.#end;
  }
}
