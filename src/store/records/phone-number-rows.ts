import { Problem } from "../../core/errors.ts";
import type { OwnedNumber } from "../../core/phone-number.ts";
import type { PhoneNumberChange } from "../permission-stores.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DialectRows } from "../sql/dialect.ts";
import { requireServer } from "./key-rows.ts";

type NumberRow = Omit<OwnedNumber, "server"> & { readonly server: string | number };

/** Statements about phone numbers, each of one server. Their guarantees are those of `PhoneNumberStore`. */
export class PhoneNumberRows extends DialectRows {
  readonly #selected: string = `select id, number, ${this.dialect.serverColumn} as server, provider,
    sealed_secrets as "sealedSecrets", webhook, created_at as "createdAt" from phone_number`;

  *addPhoneNumber({ id, number, server, createdAt, ...rest }: OwnedNumber): Query<void> {
    const { toServer, serverColumn } = this.dialect;
    yield* requireServer(this.dialect, server);
    const added = yield* rowsOf(
      `insert into phone_number (id, number, ${serverColumn}, provider, sealed_secrets, webhook, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
      [id, number, toServer(server), ...this.#valuesOf(rest), createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listPhoneNumbers(): Query<readonly OwnedNumber[]> {
    return (yield* rowsOf<NumberRow>(`${this.#selected} order by number`)).map((row) => this.#toNumber(row));
  }

  *findPhoneNumber(number: string): Query<OwnedNumber | undefined> {
    const [row] = yield* rowsOf<NumberRow>(`${this.#selected} where number = $1`, [number]);
    return row && this.#toNumber(row);
  }

  *updatePhoneNumber(id: string, change: PhoneNumberChange): Query<OwnedNumber | undefined> {
    const { toServer, serverColumn, forUpdate, overwriting } = this.dialect;
    if (change.server !== undefined) yield* requireServer(this.dialect, change.server);
    const [before] = yield* rowsOf<NumberRow>(`${this.#selected} where id = $1 ${forUpdate}`, [id]);
    if (before === undefined) return undefined;
    const after = { ...this.#toNumber(before), ...change };
    const update = rowsOf(
      `update phone_number set ${serverColumn} = $2, provider = $3, sealed_secrets = $4, webhook = $5 where id = $1`,
      [id, toServer(after.server), ...this.#valuesOf(after)],
    );
    yield* overwriting(update);
    return after;
  }

  *removePhoneNumber(id: string): Query<boolean> {
    return (yield* rowsOf("delete from phone_number where id = $1 returning id", [id])).length > 0;
  }

  #valuesOf({
    provider,
    sealedSecrets,
    webhook,
  }: Pick<OwnedNumber, "provider" | "sealedSecrets" | "webhook">): unknown[] {
    return [provider, sealedSecrets, webhook];
  }

  #toNumber({ server, sealedSecrets, ...rest }: NumberRow): OwnedNumber {
    const { fromServer } = this.dialect;
    return {
      ...rest,
      server: fromServer(server),
      sealedSecrets: sealedSecrets && new Uint8Array(sealedSecrets),
    };
  }
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
