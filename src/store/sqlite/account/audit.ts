/** Tables of the audit log. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { auditCategoryOf, type AuditCategory, type AuditEntry } from "../../../core/audit-entry.ts";
import type { AuditPage, AuditStore } from "../../audit-store.ts";
import type { Thread } from "../threads/thread.ts";

/** Queries of the audit log. */
export class AuditReads {
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    this.#list = database.prepare("select entry from audit order by id desc limit ? + 0 offset ?");
  }

  list(page: number, itemsPerPage: number): AuditPage {
    const rows = this.#list.all(itemsPerPage + 1, page * itemsPerPage);
    const entries = rows.slice(0, itemsPerPage).map((row) => JSON.parse(String(row["entry"])) as AuditEntry);
    return { entries, hasMore: rows.length > itemsPerPage };
  }
}

/** Calls of the writer thread that change the audit log, as in the contract. */
export interface AuditCalls {
  appendAudit(entries: readonly AuditEntry[]): void;
  trimAudit(category: AuditCategory, countMax: number): void;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindAuditCalls(database: DatabaseSync): AuditCalls {
  const insert = database.prepare("insert into audit (id, category, entry) values (?, ?, ?) on conflict do nothing");
  const trim = database.prepare(
    `delete from audit where category = ?1 and id <=
       (select id from audit where category = ?1 order by id desc limit 1 offset ?2)`,
  );
  return {
    appendAudit: (entries) => {
      for (const entry of entries) insert.run(entry.id, auditCategoryOf(entry.action), JSON.stringify(entry));
    },
    trimAudit: (category, countMax) => {
      trim.run(category, countMax);
    },
  };
}

/** Creates the store of the audit log. */
export function createAuditStore(
  writer: Thread<AuditCalls>,
  read: <Result>(body: (reads: AuditReads) => Result) => Result,
): AuditStore {
  return {
    appendAudit: async (entries) => writer.call("appendAudit", [entries]),
    listAudit: async (page, itemsPerPage) => read((reads) => reads.list(page, itemsPerPage)),
    trimAudit: async (category, countMax) => writer.call("trimAudit", [category, countMax]),
  };
}
