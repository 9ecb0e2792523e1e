/** Small tables of the account, whose statements are the same in both databases. */
import type { AccountStore } from "../account-store.ts";
import type { AuditStore } from "../audit-store.ts";
import type { KeyStore } from "../key-store.ts";
import type { PhoneNumberStore, PhraseStore } from "../permission-stores.ts";
import type { ProviderObjectStore } from "../provider-object-store.ts";
import { callsOf, type Calls, type QueryName } from "../sql/calls.ts";
import type { SignInStore } from "../sign-in-store.ts";
import { AuditRows } from "./audit-rows.ts";
import { DeviceRows } from "./device-rows.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { KeyRows } from "./key-rows.ts";
import { PhoneNumberRows } from "./phone-number-rows.ts";
import { PhraseRows } from "./phrase-rows.ts";
import { ProviderObjectRows } from "./provider-object-rows.ts";
import { SignInRows } from "./sign-in-rows.ts";

/** Statements about the records. */
export interface RecordRows {
  readonly audit: AuditRows;
  readonly devices: DeviceRows;
  readonly keys: KeyRows;
  readonly phoneNumbers: PhoneNumberRows;
  readonly phrases: PhraseRows;
  readonly providerObjects: ProviderObjectRows;
  readonly signIns: SignInRows;
}

/** Creates the statements of a database. */
export function createRecordRows(dialect: SqlDialect): RecordRows {
  return {
    audit: new AuditRows(),
    devices: new DeviceRows(dialect),
    keys: new KeyRows(dialect),
    phoneNumbers: new PhoneNumberRows(dialect),
    phrases: new PhraseRows(),
    providerObjects: new ProviderObjectRows(dialect),
    signIns: new SignInRows(dialect),
  };
}

/** Stores of the records. */
export interface RecordStores {
  readonly audit: AuditStore;
  readonly devices: Pick<AccountStore, "addDevice" | "listDevices" | "getDevice" | "removeDevice">;
  readonly keys: KeyStore;
  readonly phoneNumbers: PhoneNumberStore;
  readonly phrases: PhraseStore;
  readonly providerObjects: ProviderObjectStore;
  readonly signIns: SignInStore;
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
    audit: storeOf<AuditRows>("audit", calls)(["listAudit"], ["appendAudit", "trimAudit"]),
    devices: storeOf<DeviceRows>("devices", calls)(["listDevices", "getDevice"], ["addDevice", "removeDevice"]),
    keys: storeOf<KeyRows>("keys", calls)(["listKeys", "findKey"], ["addKey", "removeKey", "rotateKey", "noteKeyUse"]),
    phoneNumbers: storeOf<PhoneNumberRows>("phoneNumbers", calls)(
      ["listPhoneNumbers", "findPhoneNumber"],
      ["addPhoneNumber", "updatePhoneNumber", "removePhoneNumber"],
    ),
    phrases: storeOf<PhraseRows>("phrases", calls)(["getPhrases"], ["setPhrases"]),
    providerObjects: storeOf<ProviderObjectRows>("providerObjects", calls)(
      ["getObject", "listObjects", "walkObjects"],
      ["putObject", "removeObject", "removeExpiredObjects"],
    ),
    signIns: storeOf<SignInRows>("signIns", calls)(
      ["findSignIn"],
      ["addSignIn", "useSignIn", "takeToken", "removeSignIn", "forgetSignIns"],
    ),
  };
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
