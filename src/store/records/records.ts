/** Small tables of the account, whose statements are the same in both databases. */
import type { AccountStore } from "../account-store.ts";
import type { AnnotationStore } from "../annotation-store.ts";
import type { CallbackRecords } from "../callbacks/create-callback-store.ts";
import { DeliveryRows } from "../callbacks/delivery-rows.ts";
import type { AuditStore } from "../audit-store.ts";
import type { KeyStore } from "../key-store.ts";
import type { MarkStore } from "../mark-store.ts";
import type { OutboxStore } from "../outbox-store.ts";
import type { IdempotencyStore, PhoneNumberStore, PhraseStore, VerifiedAddressStore } from "../permission-stores.ts";
import type { ProviderObjectStore } from "../provider-object-store.ts";
import { callsOf, type Calls, type QueryName } from "../sql/calls.ts";
import type { SignInStore } from "../sign-in-store.ts";
import type { MessageStore, ServerStore } from "../store.ts";
import { AnnotationRows, createAnnotationStore } from "./annotation-rows.ts";
import { AuditRows } from "./audit-rows.ts";
import { DeviceRows } from "./device-rows.ts";
import { FaultRows } from "./fault-rows.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { KeyRows } from "./key-rows.ts";
import { MarkRows, type TagIndexRows } from "./mark-rows.ts";
import { PhoneNumberRows } from "./phone-number-rows.ts";
import { PhraseRows } from "./phrase-rows.ts";
import { ProviderObjectRows } from "./provider-object-rows.ts";
import type { QuarantineStore } from "../quarantine-store.ts";
import { QuarantineRows } from "../queues/quarantine-rows.ts";
import { OutboxRows } from "../queues/outbox-rows.ts";
import { IdempotencyRows } from "./idempotency-rows.ts";
import type { JournalRows } from "./server-position.ts";
import { ScannerRows } from "./scanner-rows.ts";
import { ServerRows, type ServerParts } from "./server-rows.ts";
import { SignInRows } from "./sign-in-rows.ts";
import { UsageRows } from "./usage-rows.ts";
import { VerifiedAddressRows } from "./verified-address-rows.ts";
import { ZoneRows } from "./zone-rows.ts";

/** Statements about the records. */
export interface RecordRows {
  readonly annotations: AnnotationRows;
  readonly audit: AuditRows;
  readonly deliveries: DeliveryRows;
  readonly devices: DeviceRows;
  readonly faults: FaultRows;
  readonly idempotency: IdempotencyRows;
  readonly keys: KeyRows;
  readonly marks: MarkRows;
  readonly outbox: OutboxRows;
  readonly phoneNumbers: PhoneNumberRows;
  readonly phrases: PhraseRows;
  readonly providerObjects: ProviderObjectRows;
  readonly quarantine: QuarantineRows;
  readonly scanners: ScannerRows;
  readonly servers: ServerRows;
  readonly signIns: SignInRows;
  readonly targets: DeliveryRows["targets"];
  readonly usage: UsageRows;
  readonly verifiedAddresses: VerifiedAddressRows;
  readonly zones: ZoneRows;
}

/** Statements of a database about what its own statements write too. */
export interface RecordParts {
  readonly journal: JournalRows;
  readonly tagIndex: TagIndexRows;
  readonly servers: ServerParts;
}

/** Creates the statements of a database. */
export function createRecordRows(dialect: SqlDialect, parts: RecordParts): RecordRows {
  const { journal, tagIndex } = parts;
  const outbox = new OutboxRows(dialect, journal);
  const deliveries = new DeliveryRows(dialect, journal);
  const [keys, faults, scanners] = [new KeyRows(dialect), new FaultRows(dialect), new ScannerRows(dialect)];
  return {
    annotations: new AnnotationRows(dialect),
    audit: new AuditRows(),
    deliveries,
    devices: new DeviceRows(dialect),
    faults,
    idempotency: new IdempotencyRows(dialect),
    keys,
    marks: new MarkRows(dialect, journal, tagIndex),
    outbox,
    phoneNumbers: new PhoneNumberRows(dialect),
    phrases: new PhraseRows(),
    providerObjects: new ProviderObjectRows(dialect),
    quarantine: new QuarantineRows(dialect),
    scanners,
    servers: new ServerRows(dialect, { journal, parts: parts.servers, keys, faults, scanners, callbacks: deliveries }),
    signIns: new SignInRows(dialect),
    targets: deliveries.targets,
    usage: new UsageRows(dialect),
    verifiedAddresses: new VerifiedAddressRows(dialect, outbox),
    zones: new ZoneRows(dialect),
  };
}

/** Stores of the records. */
export interface RecordStores {
  readonly annotations: AnnotationStore;
  readonly audit: AuditStore;
  readonly account: AccountStore;
  readonly callbacks: CallbackRecords;
  readonly faults: Calls<FaultRows, "listFaults" | "findOwners" | "replaceFaults" | "decideFault">;
  readonly idempotency: IdempotencyStore;
  readonly keys: KeyStore;
  readonly marks: MarkStore;
  readonly outbox: Omit<OutboxStore, "queue">;
  readonly phoneNumbers: PhoneNumberStore;
  readonly phrases: PhraseStore;
  readonly providerObjects: ProviderObjectStore;
  readonly quarantine: QuarantineStore;
  readonly servers: ServerStore & Pick<MessageStore, "emptyServer">;
  readonly scanners: Calls<ScannerRows, "findScanner" | "setScanner">;
  readonly signIns: SignInStore;
  readonly verifiedAddresses: VerifiedAddressStore;
}

/** Executes a method of the statements: `change` within a transaction of its own, `read` in one statement. */
export type RecordCalls = Readonly<
  Record<
    "read" | "change",
    (kind: keyof RecordRows, method: string, parameters: readonly unknown[]) => Promise<unknown>
  >
>;

/** Creates the stores. */
export function createRecordStores(calls: RecordCalls): RecordStores {
  return {
    annotations: createAnnotationStore(
      storeOf<AnnotationRows>("annotations", calls)(["findAnnotation"], ["putAnnotation"]),
    ),
    audit: storeOf<AuditRows>("audit", calls)(["listAudit"], ["appendAudit", "trimAudit"]),
    account: {
      ...storeOf<DeviceRows>("devices", calls)(["listDevices", "getDevice"], ["addDevice", "removeDevice"]),
      ...storeOf<UsageRows>("usage", calls)(["listUsage"], ["raiseUsage"]),
      ...storeOf<ZoneRows>("zones", calls)(["getZone"], ["putZone", "removeZone"]),
    },
    callbacks: {
      ...storeOf<DeliveryRows["targets"]>("targets", calls)(
        ["listTargets", "getTarget", "listLaggingServers", "listTargetServers"],
        ["addTarget", "updateTarget", "removeTarget"],
      ),
      ...storeOf<DeliveryRows>("deliveries", calls)(
        ["getCallbackDelivery", "getMessageDelivery", "listDeliveries", "listPendingReports"],
        [
          ...(["processChanges", "finishReports", "addDeliveries", "replayDeliveries", "replayMatching"] as const),
          ...(["eraseDelivery", "removeDeliveries"] as const),
        ],
      ),
    },
    faults: storeOf<FaultRows>("faults", calls)(["listFaults", "findOwners"], ["replaceFaults", "decideFault"]),
    idempotency: storeOf<IdempotencyRows>("idempotency", calls)(
      ["findIdempotentRequest"],
      ["deleteIdempotentRequests"],
    ),
    keys: storeOf<KeyRows>("keys", calls)(["listKeys", "findKey"], ["addKey", "removeKey", "rotateKey", "noteKeyUse"]),
    marks: storeOf<MarkRows>("marks", calls)(
      ["readMarks", "listMarks", "listHidden", "listTags", "countUnseen", "listIdentities"],
      ["changeMarks"],
    ),
    outbox: storeOf<OutboxRows>("outbox", calls)(["getDelivery"], []),
    phoneNumbers: storeOf<PhoneNumberRows>("phoneNumbers", calls)(
      ["listPhoneNumbers", "findPhoneNumber"],
      ["addPhoneNumber", "updatePhoneNumber", "removePhoneNumber"],
    ),
    phrases: storeOf<PhraseRows>("phrases", calls)(["getPhrases"], ["setPhrases"]),
    providerObjects: storeOf<ProviderObjectRows>("providerObjects", calls)(
      ["getObject", "listObjects", "walkObjects"],
      ["putObject", "removeObject", "removeExpiredObjects"],
    ),
    quarantine: createQuarantineStore(calls),
    scanners: storeOf<ScannerRows>("scanners", calls)(["findScanner"], ["setScanner"]),
    servers: storeOf<ServerRows>("servers", calls)(
      ["listServers", "getServer", "hasServer", "findOldestServer", "listServersForMaintenance", "getServerPassword"],
      ["createServer", "setServerPassword", "updateServer", "deleteServer", "emptyServer"],
    ),
    signIns: storeOf<SignInRows>("signIns", calls)(
      ["findSignIn"],
      ["addSignIn", "useSignIn", "takeToken", "removeSignIn", "forgetSignIns"],
    ),
    verifiedAddresses: storeOf<VerifiedAddressRows>("verifiedAddresses", calls)(
      ["listVerifiedAddresses", "getVerifiedAddress", "findVerifiedAddress"],
      ["addVerifiedAddress", "verifyAddress", "removeVerifiedAddress"],
    ),
  };
}

/** Creates the store of quarantined work, which makes no change while no work is due that has died too often. */
function createQuarantineStore(calls: RecordCalls): QuarantineStore {
  const { hasDue, ...rows } = storeOf<QuarantineRows>("quarantine", calls)(
    ["hasDue", "listQuarantined", "countQuarantined"],
    ["quarantineDue", "releaseQuarantined"],
  );
  return { ...rows, quarantineDue: async (now) => ((await hasDue(now)) ? await rows.quarantineDue(now) : []) };
}

/** Returns a function that creates a store of methods that read and of methods that change. */
function storeOf<Rows>(kind: keyof RecordRows, { read, change }: RecordCalls) {
  return <Read extends QueryName<Rows>, Change extends QueryName<Rows>>(
    reads: readonly Read[],
    changes: readonly Change[],
  ): Calls<Rows, Read> & Calls<Rows, Change> => ({
    ...callsOf<Rows, Read>(reads, async (method, parameters) => await read(kind, method, parameters)),
    ...callsOf<Rows, Change>(changes, async (method, parameters) => await change(kind, method, parameters)),
  });
}
