import type { DatabaseSync } from "node:sqlite";
import { newerSchemaError, sharedTables } from "../../schema/shared-tables.ts";
import { sqliteSchema } from "../../schema/schema-dialect.ts";
import { readNumber } from "../connection/connection.ts";
import { messages, textIndex } from "./version-1.ts";

/** Migrations from an empty file to the current schema; step n leads from version n to n + 1. Never edited once released. */
export const migrations: readonly string[] = [[sharedTables(sqliteSchema), messages, textIndex].join("\n")];

/** Schema version that this program reads and writes (`pragma user_version`). */
export const schemaVersion: number = migrations.length;

/** Application id in the header of database files (`pragma application_id`): "rest" in ASCII. */
const applicationId = 0x72657374;

/**
 * Migrates a database to {@link schemaVersion}, one transaction per step, so that a crash leaves a complete version.
 * Throws a plain `Error` for the operator when the file belongs to a newer program or to another one. Tests pass other `steps`.
 */
export function migrate(database: DatabaseSync, steps: readonly string[] = migrations): void {
  const version = readNumber(database, "pragma user_version");
  if (readNumber(database, "pragma application_id") !== applicationId && !isEmpty(database, version)) {
    throw new Error("The database was made by another program; choose another data folder");
  }
  refuseNewer(version, steps.length);
  for (const [index, statements] of steps.entries()) {
    if (index < version) continue;
    // Replaced values are overwritten: they may have been secrets.
    database.exec(
      `pragma secure_delete = on; begin immediate; ${statements} pragma application_id = ${applicationId}; pragma user_version = ${index + 1}; commit; pragma secure_delete = off;`,
    );
  }
}

/** Throws a plain `Error` for the operator when the database does not have {@link schemaVersion}; never migrates it. */
export function requireCurrentSchema(database: DatabaseSync): void {
  const version = readNumber(database, "pragma user_version");
  refuseNewer(version);
  if (version === schemaVersion) return;
  throw new Error(
    `The database has schema version ${version}, and this release requires version ${schemaVersion}: start the service of this release once, which migrates the database`,
  );
}

/** Throws a plain `Error` for the operator when the database belongs to another program or a newer version. */
export function requireOwnDatabase(database: DatabaseSync): void {
  if (readNumber(database, "pragma application_id") !== applicationId) {
    throw new Error("The file is a database of another program");
  }
  refuseNewer(readNumber(database, "pragma user_version"));
}

/** Whether a database has no tables and no owner: ours have the application id from their first commit. */
function isEmpty(database: DatabaseSync, version: number): boolean {
  const owner = readNumber(database, "pragma application_id");
  return owner === 0 && version === 0 && readNumber(database, "select count(*) from sqlite_schema") === 0;
}

function refuseNewer(version: number, supported = schemaVersion): void {
  if (version <= supported) return;
  throw newerSchemaError({ version, needed: version, supported });
}
