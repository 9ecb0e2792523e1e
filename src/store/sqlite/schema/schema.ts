import type { DatabaseSync } from "node:sqlite";
import { audit } from "./migrations/013-audit.ts";
import { checksums } from "./migrations/011-checksums.ts";
import { verificationMails } from "./migrations/012-verification-mails.ts";
import { serverQuotas } from "./migrations/014-server-quotas.ts";
import { dropGramSet } from "./migrations/015-drop-gram-set.ts";
import { segmentFilters } from "./migrations/016-segment-filters.ts";
import { providerObjects } from "./migrations/017-provider-objects.ts";
import { scheduledEmails } from "./migrations/018-scheduled-emails.ts";
import { callbacks } from "./migrations/019-callbacks.ts";
import { annotations } from "./migrations/020-annotations.ts";
import { callbackReports } from "./migrations/021-callback-reports.ts";
import { callbackDue } from "./migrations/022-callback-due.ts";
import { firstMigrations } from "./migrations/001-to-010.ts";
import { faults } from "./migrations/023-faults.ts";
import { heldMessages } from "./migrations/024-held-messages.ts";
import { callbackFailures } from "./migrations/025-callback-failures.ts";
import { marks } from "./migrations/026-marks.ts";
import { heldOrder } from "./migrations/027-held-order.ts";
import { scans } from "./migrations/028-scans.ts";
import { searchFields } from "./migrations/029-search-fields.ts";
import { annotationBytes } from "./migrations/030-annotation-bytes.ts";
import { uidValidity } from "./migrations/031-uid-validity.ts";
import { missingFields } from "./migrations/032-missing-fields.ts";
import { outdatedFields } from "./migrations/033-outdated-fields.ts";
import { indexedFields } from "./migrations/034-indexed-fields.ts";
import { presentParts } from "./migrations/035-present-parts.ts";
import { commitCount } from "./migrations/036-commit-count.ts";
import { quarantine } from "./migrations/037-quarantine.ts";
import { normalForm } from "./migrations/038-normal-form.ts";
import { codesOfLanguages } from "./migrations/039-codes-of-languages.ts";
import { newerSchemaError } from "../../newer-schema.ts";

/** Migrations from an empty file to the current schema; step n leads from version n to n + 1. Never edited once released. */
export const migrations: readonly string[] = [
  ...firstMigrations,
  checksums,
  verificationMails,
  audit,
  serverQuotas,
  dropGramSet,
  segmentFilters,
  providerObjects,
  scheduledEmails,
  callbacks,
  annotations,
  callbackReports,
  callbackDue,
  faults,
  heldMessages,
  callbackFailures,
  marks,
  heldOrder,
  scans,
  searchFields,
  annotationBytes,
  uidValidity,
  missingFields,
  outdatedFields,
  indexedFields,
  presentParts,
  commitCount,
  quarantine,
  normalForm,
  codesOfLanguages,
];

/** Schema version that this program reads and writes (`pragma user_version`). */
export const schemaVersion: number = migrations.length;

/** Application id in the header of database files (`pragma application_id`): "rest" in ASCII. */
const applicationId = 0x72657374;

/**
 * Migrates a database to {@link schemaVersion}, one transaction per step, so that a crash leaves a complete version.
 * Throws a plain `Error` for the operator when the file belongs to a newer program or to another one.
 */
export function migrate(database: DatabaseSync): void {
  const version = readPragma(database, "user_version");
  refuseNewer(version);
  if (readPragma(database, "application_id") !== applicationId && !isEmpty(database, version)) {
    throw new Error("The database was made by another program; choose another data folder");
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    // Replaced values are overwritten: they may have been secrets.
    database.exec(
      `pragma secure_delete = on; begin immediate; ${statements} pragma application_id = ${applicationId}; pragma user_version = ${index + 1}; commit; pragma secure_delete = off;`,
    );
  }
}

/** Throws a plain `Error` for the operator when the database does not have {@link schemaVersion}; never migrates it. */
export function requireCurrentSchema(database: DatabaseSync): void {
  const version = readPragma(database, "user_version");
  refuseNewer(version);
  if (version === schemaVersion) return;
  throw new Error(
    `The database has schema version ${version}, and this release requires version ${schemaVersion}: start the service of this release once, which migrates the database`,
  );
}

/** Throws a plain `Error` for the operator when the database belongs to another program or a newer version. */
export function requireOwnDatabase(database: DatabaseSync): void {
  if (readPragma(database, "application_id") !== applicationId) {
    throw new Error("The file is a database of another program");
  }
  refuseNewer(readPragma(database, "user_version"));
}

/** Whether a database has no tables and no owner: ours have the application id from their first commit. */
function isEmpty(database: DatabaseSync, version: number): boolean {
  const owner = readPragma(database, "application_id");
  const tables = database.prepare("select count(*) as count from sqlite_schema").get()?.["count"];
  return owner === 0 && version === 0 && tables === 0;
}

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw newerSchemaError({ version, needed: version, supported: schemaVersion });
}

function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}
