import type { StoredDevice } from "../../core/device.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Server } from "../../core/server.ts";
import type { DayUsage } from "../../core/usage.ts";
import type { AuditStore } from "../audit-store.ts";
import type { SignInStore } from "../sign-in-store.ts";
import type { AccountStore, NewServer, ServerStore } from "../store.ts";
import { createAuditStore } from "./account/audit.ts";
import type { WriterCalls } from "./threads/calls.ts";
import { createSignInStore } from "./account/sign-ins.ts";
import { SqliteKeys } from "./sqlite-keys.ts";
import type { Thread } from "./threads/thread.ts";

type UncachedServers = Pick<
  ServerStore,
  "createServer" | "listServers" | "findOldestServer" | "listServersToTend" | "getServerPassword" | "setServerPassword"
>;

/** The part of the store that belongs to the account: small things, read where they are asked. */
export abstract class SqliteAccount extends SqliteKeys implements AccountStore, UncachedServers {
  readonly signIns: SignInStore;
  readonly audit: AuditStore;
  readonly #writer: Thread<WriterCalls>;

  constructor(writer: Thread<WriterCalls>) {
    super(writer);
    this.#writer = writer;
    this.signIns = createSignInStore(writer, (body) => this.read(({ signIns }) => body(signIns)));
    this.audit = createAuditStore(writer, (body) => this.read(({ audit }) => body(audit)));
  }

  async createServer(server: NewServer): Promise<Server> {
    return await this.#writer.call("createServer", [server]);
  }

  async listServers(): Promise<readonly Server[]> {
    return this.read(({ servers }) => servers.list());
  }

  async findOldestServer(): Promise<Server | undefined> {
    return this.read(({ servers }) => servers.oldest());
  }

  async listServersToTend(now: number): Promise<readonly Server[]> {
    return this.read(({ servers }) => servers.toTend(now));
  }

  async getServerPassword(id: ServerId): Promise<string | undefined> {
    return this.read(({ servers }) => servers.password(id));
  }

  async setServerPassword(id: ServerId, password: string, present?: string): Promise<boolean> {
    return await this.#writer.call("setServerPassword", [id, password, present]);
  }

  async addDevice(device: StoredDevice): Promise<void> {
    await this.#writer.call("addDevice", [device]);
  }

  async listDevices(): Promise<readonly StoredDevice[]> {
    return this.read(({ devices }) => devices.list());
  }

  async getDevice(id: string): Promise<StoredDevice | undefined> {
    return this.read(({ devices }) => devices.get(id));
  }

  async removeDevice(id: string): Promise<boolean> {
    return await this.#writer.call("removeDevice", [id]);
  }

  async listUsage(sinceDay: number): Promise<readonly DayUsage[]> {
    return this.read(({ usage }) => usage.since(sinceDay));
  }

  async raiseUsage(usage: readonly DayUsage[]): Promise<void> {
    await this.#writer.call("raiseUsage", [usage]);
  }

  async putZone(server: ServerId, zone: string): Promise<boolean> {
    return await this.#writer.call("putZone", [server, zone]);
  }

  async getZone(server: ServerId): Promise<string | undefined> {
    return this.read(({ zones }) => zones.get(server));
  }

  async removeZone(server: ServerId): Promise<boolean> {
    return await this.#writer.call("removeZone", [server]);
  }
}
