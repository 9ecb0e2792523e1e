/** Returns the error for the operator when a newer release has migrated the database so that this one cannot use it. */
export function newerSchemaError(found: {
  /** Schema version of the database. */
  readonly version: number;
  /** Oldest schema version that a release must support to use the database. */
  readonly needed: number;
  /** Schema version of this release. */
  readonly supported: number;
}): Error {
  return new Error(
    `The database has schema version ${found.version} and requires a release that supports version ${found.needed}, ` +
      `but this release supports versions up to ${found.supported}: start the newer release, or restore a backup made before the upgrade (databases of development versions before the first release cannot be used)`,
  );
}
