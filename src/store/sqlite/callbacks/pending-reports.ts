/** Reports of delivered messages, until events are made of them. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId } from "../../../core/ids.ts";
import type { PendingReport } from "../../callback-store.ts";
import { newReportId } from "../../report-ids.ts";

/** Query of pending reports. */
export class ReportReads {
  readonly #oldest: StatementSync;

  constructor(database: DatabaseSync) {
    this.#oldest = database.prepare("select id, message from callback_report order by id limit ? + 0");
  }

  /** Implements `listPendingReports` of the contract. */
  list(limit: number): readonly PendingReport[] {
    return this.#oldest.all(limit).map((row) => ({ ...(row as unknown as PendingReport) }));
  }
}

/** Changes of pending reports, for use inside the writer's transaction. */
export class ReportWrites {
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `insert into callback_report (id, message)
       select ?, ? where exists (select 1 from callback_cursor where server = ?)`,
    );
    this.#remove = database.prepare("delete from callback_report where id = ?");
  }

  /** Adds a report of a message that was delivered at `at`, when its server, given by its number, has targets. */
  add(message: MessageId, { server, at }: { readonly server: number; readonly at: number }): void {
    this.#insert.run(newReportId(at), message, server);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#remove.run(id);
  }
}
