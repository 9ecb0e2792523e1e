import { Problem } from "../../core/errors.ts";
import type { OwnedNumber } from "../../core/phone-number.ts";
import type { IdempotentRequest, PhoneNumberChange } from "../permission-stores.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DialectRows } from "../sql/dialect.ts";
import { requireServer } from "./key-rows.ts";

const selected = `select id, number, server, provider, sealed_secrets as "sealedSecrets", webhook,
  created_at as "createdAt" from phone_number`;

/** Statements about phone numbers, each of one server. Their guarantees are those of `PhoneNumberStore`. */
export class PhoneNumberRows extends DialectRows {
  *addPhoneNumber({ id, number, server, createdAt, ...rest }: OwnedNumber): Query<void> {
    yield* requireServer(this.dialect, server);
    const added = yield* rowsOf(
      `insert into phone_number (id, number, server, provider, sealed_secrets, webhook, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
      [id, number, server, ...valuesOf(rest), createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listPhoneNumbers(): Query<readonly OwnedNumber[]> {
    return (yield* rowsOf<OwnedNumber>(`${selected} order by number`)).map(toNumber);
  }

  *findPhoneNumber(number: string): Query<OwnedNumber | undefined> {
    const [row] = yield* rowsOf<OwnedNumber>(`${selected} where number = $1`, [number]);
    return row && toNumber(row);
  }

  *updatePhoneNumber(id: string, change: PhoneNumberChange): Query<OwnedNumber | undefined> {
    const { forUpdate, overwriting } = this.dialect;
    if (change.server !== undefined) yield* requireServer(this.dialect, change.server);
    const [before] = yield* rowsOf<OwnedNumber>(`${selected} where id = $1 ${forUpdate}`, [id]);
    if (before === undefined) return undefined;
    const after = { ...toNumber(before), ...change };
    const update = rowsOf(
      `update phone_number set server = $2, provider = $3, sealed_secrets = $4, webhook = $5 where id = $1`,
      [id, after.server, ...valuesOf(after)],
    );
    yield* overwriting(update);
    return after;
  }

  *removePhoneNumber(id: string): Query<boolean> {
    return (yield* rowsOf("delete from phone_number where id = $1 returning id", [id])).length > 0;
  }
}

function valuesOf(record: Pick<OwnedNumber, "provider" | "sealedSecrets" | "webhook">): readonly unknown[] {
  return [record.provider, record.sealedSecrets, record.webhook];
}

function toNumber(row: OwnedNumber): OwnedNumber {
  return { ...row, sealedSecrets: row.sealedSecrets && new Uint8Array(row.sealedSecrets) };
}

/** Statements about approved phrases, which are one value of the state. Their guarantees are those of `PhraseStore`. */
export class PhraseRows {
  *getPhrases(): Query<readonly string[] | null> {
    const [row] = yield* rowsOf<{ readonly phrases: string | null }>("select phrases from state");
    return row === undefined || row.phrases === null ? null : (JSON.parse(row.phrases) as readonly string[]);
  }

  *setPhrases(phrases: readonly string[]): Query<void> {
    yield* rowsOf("update state set phrases = $1", [JSON.stringify(phrases)]);
  }
}

const requestColumns = "scope, key, fingerprint, message, at";

/** Statements about requests that may be repeated. Their guarantees are those of `IdempotencyStore`. */
export class IdempotencyRows {
  *findIdempotentRequest(scope: string, key: string): Query<IdempotentRequest | undefined> {
    const sql = `select ${requestColumns} from repeatable where scope = $1 and key = $2`;
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
      `insert into repeatable (${requestColumns}) values ($1, $2, $3, $4, $5) on conflict (scope, key) do nothing`,
      [scope, key, fingerprint, message, at],
    );
    yield* this.requireUnrepeated(request);
  }
}
