/** Small tables of the account and the queues of work, whose statements are the same in both databases. */
import type { ServerQuota } from "../../core/server.ts";
import { deliveryColumns, DeliveryRows, toDelivery } from "../callbacks/delivery-rows.ts";
import { leasedTables, type QueueDialect } from "../queues/leased-tables.ts";
import { entryColumns, OutboxRows } from "../queues/outbox-rows.ts";
import { QuarantineRows } from "../queues/quarantine-rows.ts";
import { QueueRows } from "../queues/queue-rows.ts";
import { scheduledColumns, ScheduledRows } from "../queues/scheduled-rows.ts";
import type { Reparse } from "../reparse-store.ts";
import type { ClaimedScan } from "../scanner-store.ts";
import { callsOf, isReading, type Calls } from "../sql/calls.ts";
import { AuditRows, DeviceRows, UsageRows, ZoneRows } from "./account-rows.ts";
import { AnnotationRows } from "./annotation-rows.ts";
import { ChangeRows } from "./change-rows.ts";
import { ContentRows, type ContentTables } from "./content-rows.ts";
import { FaultRows, ScannerRows } from "./rule-rows.ts";
import { KeyRows, SignInRows } from "./key-rows.ts";
import { MarkRows, type TagIndexRows } from "./mark-rows.ts";
import { PeopleRows } from "./people-rows.ts";
import { IdempotencyRows, PhoneNumberRows, PhraseRows, VerifiedAddressRows } from "./permission-rows.ts";
import { ProviderObjectRows } from "./provider-object-rows.ts";
import { ServerRows, type ServerDependencies, type ServerParts } from "./server-rows.ts";

/** Statements of a database about what its own statements write too. */
export interface RecordParts {
  readonly journal: ServerDependencies["journal"];
  readonly tagIndex: TagIndexRows;
  readonly servers: ServerParts;
  readonly content: ContentTables;
}

const create = (dialect: QueueDialect, { journal, tagIndex, servers, content }: RecordParts, quota?: ServerQuota) => {
  const outbox = new OutboxRows(dialect, journal);
  const deliveries = new DeliveryRows(dialect, journal);
  const scheduled = new ScheduledRows(dialect, quota);
  const signIns = new SignInRows(dialect);
  const { teamLimits } = scheduled;
  const [keys, faults, scanners] = [new KeyRows(dialect), new FaultRows(dialect), new ScannerRows(dialect)];
  return {
    annotations: new AnnotationRows(dialect),
    audit: new AuditRows(),
    changes: new ChangeRows(dialect),
    content: new ContentRows(dialect, content),
    deliveries,
    deliveryQueue: new QueueRows(leasedTables.deliveries, dialect, {
      columns: deliveryColumns,
      toItem: toDelivery,
      record: deliveries.recordOutcomes.bind(deliveries),
    }),
    devices: new DeviceRows(),
    faults,
    idempotency: new IdempotencyRows(),
    keys,
    marks: new MarkRows(dialect, journal, tagIndex),
    outbox,
    outboxQueue: new QueueRows(leasedTables.outbox, dialect, {
      columns: entryColumns,
      toItem: outbox.toEntry.bind(outbox),
      record: outbox.recordAttempts.bind(outbox),
    }),
    people: new PeopleRows(dialect, { keys, signIns, teamLimits }),
    phoneNumbers: new PhoneNumberRows(dialect),
    phrases: new PhraseRows(),
    providerObjects: new ProviderObjectRows(dialect),
    quarantine: new QuarantineRows(dialect),
    reparseQueue: new QueueRows<Reparse>(leasedTables.reparses, dialect),
    scanners,
    scanQueue: new QueueRows<ClaimedScan>(leasedTables.scans, dialect),
    scheduled,
    scheduledQueue: new QueueRows(leasedTables.scheduled, dialect, {
      columns: scheduledColumns,
      toItem: scheduled.toMessage.bind(scheduled),
    }),
    servers: new ServerRows(dialect, {
      journal,
      parts: servers,
      keys,
      faults,
      scanners,
      callbacks: deliveries,
      teamLimits,
    }),
    signIns,
    targets: deliveries.targets,
    teamLimits,
    usage: new UsageRows(dialect),
    verifiedAddresses: new VerifiedAddressRows(dialect, outbox),
    zones: new ZoneRows(dialect),
  };
};

/** Statements about the records and queues. */
export type RecordRows = ReturnType<typeof create>;

/** Creates the statements of a database. `quota` is that of servers without one of their own; none by default. */
export const createRecordRows: (dialect: QueueDialect, parts: RecordParts, quota?: ServerQuota) => RecordRows = create;

/** Methods of the statements, executed elsewhere. */
export type RecordCalls = { readonly [Kind in keyof RecordRows]: Calls<RecordRows[Kind]> };

/** Executes a method of the statements. */
export type ExecuteRecord = (
  kind: keyof RecordRows,
  method: string,
  parameters: readonly unknown[],
) => Promise<unknown>;

/** Creates calls of the statements: `change` executes them within a transaction of its own, `read` those that only read. */
export function createRecordCalls(
  rows: RecordRows,
  { read, change }: Readonly<Record<"read" | "change", ExecuteRecord>>,
): RecordCalls {
  const calls = Object.entries(rows).map(([name, own]) => {
    const kind = name as keyof RecordRows;
    const call = callsOf(own, async (method, parameters) =>
      isReading(method) ? await read(kind, method, parameters) : await change(kind, method, parameters),
    );
    return [kind, call];
  });
  return Object.fromEntries(calls) as RecordCalls;
}
