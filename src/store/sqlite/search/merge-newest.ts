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
