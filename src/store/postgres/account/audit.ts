import { auditCategoryOf, type AuditCategory, type AuditEntry } from "../../../core/audit-entry.ts";
import type { AuditPage, AuditStore } from "../../audit-store.ts";
import type { Database } from "../connection/database.ts";

/** Audit log of all nodes. */
export class Audit implements AuditStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async appendAudit(entries: readonly AuditEntry[]): Promise<void> {
    await this.#database.query(
      `insert into audit (id, category, entry)
       select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
      [
        entries.map(({ id }) => id),
        entries.map(({ action }) => auditCategoryOf(action)),
        entries.map((entry) => JSON.stringify(entry)),
      ],
    );
  }

  async listAudit(page: number, itemsPerPage: number): Promise<AuditPage> {
    const rows = await this.#database.query<{ entry: string }>(
      "select entry from audit order by id desc limit $1 offset $2",
      [itemsPerPage + 1, page * itemsPerPage],
    );
    const entries = rows.slice(0, itemsPerPage).map(({ entry }) => JSON.parse(entry) as AuditEntry);
    return { entries, hasMore: rows.length > itemsPerPage };
  }

  async trimAudit(category: AuditCategory, countMax: number): Promise<void> {
    const [last] = await this.#database.query<{ id: string }>(
      "select id from audit where category = $1 order by id desc limit 1 offset $2",
      [category, countMax],
    );
    if (last === undefined) return;
    await this.#database.query("delete from audit where category = $1 and id <= $2", [category, last.id]);
  }
}
