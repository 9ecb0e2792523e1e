import { Problem } from "../../core/errors.ts";
import type { IdempotentRequest } from "../permission-stores.ts";
import { rowsOf, type Query } from "../sql/query.ts";

const columns = "scope, key, fingerprint, message, at";

/** Statements about requests that may be repeated. Their guarantees are those of `IdempotencyStore`. */
export class IdempotencyRows {
  *findIdempotentRequest(scope: string, key: string): Query<IdempotentRequest | undefined> {
    const sql = `select ${columns} from repeatable where scope = $1 and key = $2`;
    const [row] = yield* rowsOf<IdempotentRequest>(sql, [scope, key]);
    return row;
  }

  *deleteIdempotentRequests(before: number): Query<number> {
    return (yield* rowsOf("delete from repeatable where at < $1 returning at", [before])).length;
  }

  /** Throws `conflict` when another message has the same scope and key. */
  *requireUnrepeated({ scope, key, message }: IdempotentRequest): Query<void> {
    const found = yield* this.findIdempotentRequest(scope, key);
    if (found !== undefined && found.message !== message) throw new Problem("conflict");
  }

  /** Stores a request in the transaction of its message; throws `conflict` as {@link requireUnrepeated}. */
  *addRequest(request: IdempotentRequest): Query<void> {
    const { scope, key, fingerprint, message, at } = request;
    yield* rowsOf(
      `insert into repeatable (${columns}) values ($1, $2, $3, $4, $5) on conflict (scope, key) do nothing`,
      [scope, key, fingerprint, message, at],
    );
    yield* this.requireUnrepeated(request);
  }
}
