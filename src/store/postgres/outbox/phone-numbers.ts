import { notFound, Problem } from "../../../core/errors.ts";
import type { OwnedNumber } from "../../../core/phone-number.ts";
import type { PhoneNumberChange, PhoneNumberStore } from "../../permission-stores.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { lockServer } from "../account/servers.ts";
import { fromNullableText, fromText, toNullableText, toText } from "../connection/text.ts";

interface NumberRow {
  readonly id: string;
  readonly number: string;
  readonly server_id: number;
  readonly provider: string;
  readonly sealed_secrets: Buffer | null;
  readonly webhook: string | null;
  readonly created_at: number;
}

const columns = "id, number, server_id, provider, sealed_secrets, webhook, created_at";

/** Phone numbers, each of one server. */
export class PhoneNumbers implements PhoneNumberStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async addPhoneNumber({
    id,
    number,
    server,
    provider,
    sealedSecrets,
    webhook,
    createdAt,
  }: OwnedNumber): Promise<void> {
    const secretsAndWebhook = [sealedSecrets === null ? null : Buffer.from(sealedSecrets), toNullableText(webhook)];
    await this.#database.transact(async (session) => {
      if ((await lockServer(session, server)) === undefined) throw notFound("Server");
      const [row] = await session.query(
        `insert into phone_number (${columns}) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
        [toText(id), toText(number), serverNumberOf(server), provider, ...secretsAndWebhook, createdAt],
      );
      if (row === undefined) throw new Problem("conflict");
    });
  }

  async listPhoneNumbers(): Promise<readonly OwnedNumber[]> {
    const rows = await this.#database.query<NumberRow>(`select ${columns} from phone_number order by number`);
    return rows.map(toNumber);
  }

  async findPhoneNumber(number: string): Promise<OwnedNumber | undefined> {
    const [row] = await this.#database.query<NumberRow>(`select ${columns} from phone_number where number = $1`, [
      toText(number),
    ]);
    return row === undefined ? undefined : toNumber(row);
  }

  async updatePhoneNumber(id: string, change: PhoneNumberChange): Promise<OwnedNumber | undefined> {
    return await this.#database.transact(async (session) => {
      const { server } = change;
      if (server !== undefined && (await lockServer(session, server)) === undefined) throw notFound("Server");
      const present = `select ${columns} from phone_number where id = $1 for update`;
      const [before] = await session.query<NumberRow>(present, [toText(id)]);
      if (before === undefined) return undefined;
      const after = { ...toNumber(before), ...change };
      const secrets = after.sealedSecrets === null ? null : Buffer.from(after.sealedSecrets);
      await session.query(
        "update phone_number set server_id = $2, provider = $3, sealed_secrets = $4, webhook = $5 where id = $1",
        [toText(id), serverNumberOf(after.server), after.provider, secrets, toNullableText(after.webhook)],
      );
      return after;
    });
  }

  async removePhoneNumber(id: string): Promise<boolean> {
    return (await this.#database.query("delete from phone_number where id = $1 returning id", [toText(id)])).length > 0;
  }
}

function toNumber(row: NumberRow): OwnedNumber {
  return {
    id: fromText(row.id),
    number: fromText(row.number),
    server: serverIdOf(row.server_id),
    provider: row.provider,
    sealedSecrets: row.sealed_secrets === null ? null : new Uint8Array(row.sealed_secrets),
    webhook: fromNullableText(row.webhook),
    createdAt: row.created_at,
  };
}
