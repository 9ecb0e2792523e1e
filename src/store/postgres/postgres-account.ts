import type { ApiKey } from "../../core/api-key.ts";
import type { StoredDevice } from "../../core/device.ts";
import type { ServerId } from "../../core/ids.ts";
import type { DayUsage } from "../../core/usage.ts";
import type { AuditStore } from "../audit-store.ts";
import type { KeyStore } from "../key-store.ts";
import type { OutboxStore } from "../outbox-store.ts";
import type { PhoneNumberStore, PhraseStore, RepeatStore, VerifiedAddressStore } from "../permission-stores.ts";
import type { SignInStore } from "../sign-in-store.ts";
import type { AccountStore } from "../store.ts";
import { Audit } from "./account/audit.ts";
import type { Database } from "./connection/database.ts";
import { Devices } from "./account/devices.ts";
import { Zones } from "./account/dns-zones.ts";
import { Keys } from "./account/keys.ts";
import { Outbox } from "./outbox/outbox.ts";
import { PhoneNumbers } from "./outbox/phone-numbers.ts";
import { Phrases } from "./outbox/phrases.ts";
import { Repeatables } from "./outbox/repeatables.ts";
import { SignIns } from "./account/sign-ins.ts";
import { Usage } from "./account/usage.ts";
import { VerifiedAddresses } from "./outbox/verified-addresses.ts";

/** The part of the store that belongs to the account and to what leaves. */
export abstract class PostgresAccount implements AccountStore, KeyStore {
  readonly outbox: OutboxStore;
  readonly verifiedAddresses: VerifiedAddressStore;
  readonly repeatables: RepeatStore;
  readonly phoneNumbers: PhoneNumberStore;
  readonly phrases: PhraseStore;
  readonly signIns: SignInStore;
  readonly audit: AuditStore;
  readonly #keys: Keys;
  readonly #devices: Devices;
  readonly #usage: Usage;
  readonly #zones: Zones;

  constructor(database: Database) {
    this.outbox = new Outbox(database);
    this.verifiedAddresses = new VerifiedAddresses(database);
    this.repeatables = new Repeatables(database);
    this.phoneNumbers = new PhoneNumbers(database);
    this.phrases = new Phrases(database);
    this.signIns = new SignIns(database);
    this.audit = new Audit(database);
    this.#keys = new Keys(database);
    this.#devices = new Devices(database);
    this.#usage = new Usage(database);
    this.#zones = new Zones(database);
  }

  async addKey(key: ApiKey): Promise<void> {
    await this.#keys.add(key);
  }

  async listKeys(): Promise<readonly ApiKey[]> {
    return await this.#keys.list();
  }

  async findKey(hash: string): Promise<ApiKey | undefined> {
    return await this.#keys.find(hash);
  }

  async removeKey(id: string): Promise<boolean> {
    return await this.#keys.remove(id);
  }

  async rehashKey(id: string, hash: string): Promise<boolean> {
    return await this.#keys.rehash(id, hash);
  }

  async rotateKey(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined> {
    return await this.#keys.rotate(id, hash, formerUntil);
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    await this.#keys.noteUse(id, at);
  }

  async addDevice(device: StoredDevice): Promise<void> {
    await this.#devices.add(device);
  }

  async listDevices(): Promise<readonly StoredDevice[]> {
    return await this.#devices.list();
  }

  async getDevice(id: string): Promise<StoredDevice | undefined> {
    return await this.#devices.get(id);
  }

  async removeDevice(id: string): Promise<boolean> {
    return await this.#devices.remove(id);
  }

  async listUsage(sinceDay: number): Promise<readonly DayUsage[]> {
    return await this.#usage.since(sinceDay);
  }

  async raiseUsage(usage: readonly DayUsage[]): Promise<void> {
    await this.#usage.raise(usage);
  }

  async putZone(server: ServerId, zone: string): Promise<boolean> {
    return await this.#zones.put(server, zone);
  }

  async getZone(server: ServerId): Promise<string | undefined> {
    return await this.#zones.get(server);
  }

  async removeZone(server: ServerId): Promise<boolean> {
    return await this.#zones.remove(server);
  }
}
