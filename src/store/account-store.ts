/** Contract of the part of the store that holds devices, usage, zone files and the audit log. */
import type { StoredDevice } from "../core/device.ts";
import type { ServerId } from "../core/ids.ts";
import type { DayUsage } from "../core/server.ts";
import type { ServerUsageCounts, TeamDayUsage } from "../core/usage.ts";
import type { AuditCategory, AuditEntry } from "../core/audit-entry.ts";

/** Part of the store that holds devices, usage, and zone files of the DNS simulation. */
export interface AccountStore {
  /** Adds a device. Rejects with `conflict` when the id is taken. */
  addDevice(device: StoredDevice): Promise<void>;
  /** Returns all devices, oldest first. */
  listDevices(): Promise<readonly StoredDevice[]>;
  getDevice(id: string): Promise<StoredDevice | undefined>;
  /** Removes a device; returns false when there is no such device. */
  removeDevice(id: string): Promise<boolean>;
  /**
   * Returns the number of messages stored from `sinceDay` on, by the day of their receipt (see {@link DayUsage}), oldest
   * day first, without empty days. Messages are counted once, in the transaction that stores them; deleting a message
   * does not lower the count.
   */
  listUsage(sinceDay: number): Promise<readonly DayUsage[]>;
  /** Returns the usage from `sinceDay` on by day and team, in this order. */
  listTeamUsage(sinceDay: number): Promise<readonly TeamDayUsage[]>;
  /** Returns the usage from `sinceDay` to the day before `endDay` by team and server, in this order. */
  listServerUsage(sinceDay: number, endDay: number): Promise<readonly ServerUsageCounts[]>;
  /**
   * Raises the counts of days and teams to these where they are lower, as long as the sum of a day is lower than theirs: an import
   * counts messages for the team that owns their server then.
   */
  raiseUsage(usage: readonly TeamDayUsage[]): Promise<void>;
  /**
   * Removes the usage before `oldestDay`, and merges that of the servers of one day before `beforeDay`, so that only teams are
   * kept. Returns false when there was no such day.
   */
  compactUsage(oldestDay: number, beforeDay: number): Promise<boolean>;
  /** Stores the zone file of a server, replacing the former one; returns false when there is no such server. */
  putZone(server: ServerId, zone: string): Promise<boolean>;
  /** Returns the zone file of a server; undefined when there is none. It is deleted with its server. */
  getZone(server: ServerId): Promise<string | undefined>;
  /** Removes the zone file of a server; returns false when there was none. */
  removeZone(server: ServerId): Promise<boolean>;
}

/** Page of the audit log, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Whether the next page is not empty. */
  readonly hasMore: boolean;
}

/** Audit log of all nodes. */
export interface AuditStore {
  /** Adds entries. Entries whose id exists are skipped, so that callers may repeat an unknown commit. */
  appendAudit(entries: readonly AuditEntry[]): Promise<void>;
  /** Returns entries, of one user if given, newest first by id; `page` counts from 0. */
  listAudit(page: number, itemsPerPage: number, user?: string): Promise<AuditPage>;
  /** Removes all but the newest `countMax` entries of a category. */
  trimAudit(category: AuditCategory, countMax: number): Promise<void>;
}
