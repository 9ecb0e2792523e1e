import { auditCategoryOf, type AuditCategory, type AuditEntry } from "../../core/audit-entry.ts";
import type { AuditPage } from "../audit-store.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Statements about the audit log. Their guarantees are those of `AuditStore`. */
export class AuditRows {
  *appendAudit(entries: readonly AuditEntry[]): Query<void> {
    const sql = "insert into audit (id, category, entry) values ($1, $2, $3) on conflict do nothing";
    for (const entry of entries) yield* rowsOf(sql, [entry.id, auditCategoryOf(entry.action), JSON.stringify(entry)]);
  }

  *listAudit(page: number, itemsPerPage: number): Query<AuditPage> {
    const rows = yield* rowsOf<{ readonly entry: string }>(
      "select entry from audit order by id desc limit cast($1 as integer) offset cast($2 as integer)",
      [itemsPerPage + 1, page * itemsPerPage],
    );
    const entries = rows.slice(0, itemsPerPage).map(({ entry }) => JSON.parse(entry) as AuditEntry);
    return { entries, hasMore: rows.length > itemsPerPage };
  }

  *trimAudit(category: AuditCategory, countMax: number): Query<void> {
    const [last] = yield* rowsOf<{ readonly id: string }>(
      "select id from audit where category = $1 order by id desc limit 1 offset cast($2 as integer)",
      [category, countMax],
    );
    if (last !== undefined) yield* rowsOf("delete from audit where category = $1 and id <= $2", [category, last.id]);
  }
}
