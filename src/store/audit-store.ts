/** Contract of the part of the store that holds the audit log. */
import type { AuditCategory, AuditEntry } from "../core/audit-entry.ts";

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
