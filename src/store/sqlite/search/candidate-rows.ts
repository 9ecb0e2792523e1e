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
