import { Problem } from "../../core/errors.ts";
import type { OwnedNumber } from "../../core/phone-number.ts";
import {
  type IdempotentRequest,
  type PhoneNumberChange,
  refuseRepeatedVerification,
  verificationEntryId,
  verificationPauseMs,
} from "../permission-stores.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { requireServer } from "./key-rows.ts";
import { foldAddress } from "../../core/fold.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import type { OutboundEntries } from "../outbox-store.ts";
import type { OutboxRows } from "../queues/outbox-rows.ts";

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

const columns = `id, address, status, token_hash as "tokenHash", created_at as "createdAt"`;

/** Statements about verified and pending addresses. Their guarantees are those of `VerifiedAddressStore`. */
export class VerifiedAddressRows extends DialectRows {
  readonly #outbox: OutboxRows;

  constructor(dialect: SqlDialect, outbox: OutboxRows) {
    super(dialect);
    this.#outbox = outbox;
  }

  *addVerifiedAddress(added: VerifiedAddress, outbound: OutboundEntries = {}): Query<void> {
    const { id, address, status, tokenHash, createdAt } = added;
    const folded = foldAddress(address);
    const taken = "select 1 from verified_address where id = $1 or address_folded = $2";
    if ((yield* rowsOf(taken, [id, folded])).length > 0) throw new Problem("conflict");
    const asksOwner = (outbound.entries ?? []).length > 0;
    // All checks come before the first write.
    if (asksOwner) refuseRepeatedVerification(yield* this.#askedAt(folded), createdAt);
    yield* this.#outbox.add(outbound, yield* this.#outbox.countNewEntries(outbound.entries ?? []));
    // Nodes that add the same address at once wait for each other here.
    const inserted = yield* rowsOf(
      `insert into verified_address (id, address, address_folded, status, token_hash, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
      [id, address, folded, status, tokenHash, createdAt],
    );
    if (inserted.length === 0) throw new Problem("conflict");
    if (!asksOwner) return;
    yield* rowsOf("delete from verification_mail where abs(asked_at - $1) >= $2", [createdAt, verificationPauseMs]);
    const asked = yield* rowsOf(
      `insert into verification_mail (address_folded, asked_at) values ($1, $2)
       on conflict do nothing returning asked_at`,
      [folded, createdAt],
    );
    if (asked.length === 0) refuseRepeatedVerification(createdAt, createdAt);
  }

  *listVerifiedAddresses(): Query<readonly VerifiedAddress[]> {
    return yield* this.#select("order by address_folded");
  }

  *getVerifiedAddress(id: string): Query<VerifiedAddress | undefined> {
    return (yield* this.#select("where id = $1", [id]))[0];
  }

  *findVerifiedAddress(address: string): Query<VerifiedAddress | undefined> {
    return (yield* this.#select("where address_folded = $1", [foldAddress(address)]))[0];
  }

  *verifyAddress(id: string): Query<VerifiedAddress | undefined> {
    yield* this.#outbox.removeEntry(verificationEntryId(id));
    yield* rowsOf("update verified_address set status = 'Verified', token_hash = null where id = $1", [id]);
    return yield* this.getVerifiedAddress(id);
  }

  *removeVerifiedAddress(id: string): Query<boolean> {
    yield* this.#outbox.removeEntry(verificationEntryId(id));
    const sql = "delete from verified_address where id = $1 returning id";
    return (yield* rowsOf(sql, [id])).length > 0;
  }

  *#askedAt(folded: string): Query<number | null> {
    const sql = `select asked_at as "askedAt" from verification_mail where address_folded = $1`;
    return (yield* rowsOf<{ readonly askedAt: number }>(sql, [folded]))[0]?.askedAt ?? null;
  }

  *#select(rest: string, values: readonly unknown[] = []): Query<readonly VerifiedAddress[]> {
    return yield* rowsOf<VerifiedAddress>(`select ${columns} from verified_address ${rest}`, values);
  }
}
