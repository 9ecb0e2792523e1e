import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { combineMessageDeliveries } from "../../callback-attempts.ts";
import type { DeliveryFilter, StoredDelivery } from "../../callback-store.ts";
import type { DeliveryState } from "../../outbox-store.ts";
import { Statements } from "../connection/connection.ts";
import { deliveryColumns, filterConditions, isVisible, toDelivery, type DeliveryRow } from "./delivery-rows.ts";

/** Queries of deliveries. */
export class DeliveryReads {
  readonly #statements: Statements;
  readonly #get: StatementSync;
  readonly #ofMessage: StatementSync;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
    this.#get = database.prepare(`select ${deliveryColumns} from callback_delivery where id = ? and ${isVisible}`);
    this.#ofMessage = database.prepare(
      `select ${deliveryColumns} from callback_delivery
       where message = ? and delivers_message = 1 and ${isVisible} order by number`,
    );
  }

  get(id: string): StoredDelivery | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toDelivery(row as unknown as DeliveryRow);
  }

  /** Implements `listDeliveries` of the contract. */
  list(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): readonly StoredDelivery[] {
    const { condition, values } = filterConditions(server, filter);
    const statement = this.#statements.get(
      `select ${deliveryColumns} from callback_delivery where ${condition}
       order by number desc limit :limit + 0 offset :offset`,
    );
    return statement.all({ ...values, ...page }).map((row) => toDelivery(row as unknown as DeliveryRow));
  }

  ofMessage(message: MessageId): DeliveryState | undefined {
    const rows = this.#ofMessage.all(message);
    return combineMessageDeliveries(rows.map((row) => toDelivery(row as unknown as DeliveryRow)));
  }
}
