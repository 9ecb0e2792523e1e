/** The part of the store's contract that keeps the audit log. */
import type { AuditCategory, AuditEntry } from "../core/audit-entry.ts";

/** Page of the audit log, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Whether the next page holds anything. */
  readonly hasMore: boolean;
}

/** The audit log of all nodes. */
export interface AuditStore {
  /** Adds entries. Those whose id is already there are left out, so that repeating an unknown commit is harmless. */
  appendAudit(entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first, by id; `page` counts from 0. */
  listAudit(page: number, itemsPerPage: number): Promise<AuditPage>;
  /** Removes all but the newest `countMax` entries of a category. */
  trimAudit(category: AuditCategory, countMax: number): Promise<void>;
}
