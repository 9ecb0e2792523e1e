import { Problem } from "../../core/errors.ts";
import { foldAddress } from "../../core/fold.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import type { OutboundEntries } from "../outbox-store.ts";
import type { OutboxRows } from "../queues/outbox-rows.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { refuseRepeatedVerification, verificationEntryId, verificationPauseMs } from "../verification-window.ts";

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
