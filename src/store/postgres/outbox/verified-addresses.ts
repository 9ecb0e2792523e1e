import { Problem } from "../../../core/errors.ts";
import { foldAddress } from "../../../core/fold.ts";
import type { VerifiedAddress } from "../../../core/verified-address.ts";
import type { OutboundEntries } from "../../outbox-store.ts";
import type { VerifiedAddressStore } from "../../permission-stores.ts";
import { refuseRepeatedVerification, verificationEntryId, verificationPauseMs } from "../../verification-window.ts";
import type { Database, Session } from "../connection/database.ts";
import { addOutbound } from "./outbox-entries.ts";
import { fromText, toNullableText, toText } from "../connection/text.ts";

interface AddressRow {
  readonly id: string;
  readonly address: string;
  readonly status: VerifiedAddress["status"];
  readonly token_hash: string | null;
  readonly created_at: number;
}

const columns = "id, address, status, token_hash, created_at";

/** Verified and pending addresses. */
export class VerifiedAddresses implements VerifiedAddressStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async addVerifiedAddress(verified: VerifiedAddress, outbound: OutboundEntries = {}): Promise<void> {
    const { id, address, status, tokenHash, createdAt } = verified;
    await this.#database.transact(async (session) => {
      const [row] = await session.query(
        `insert into verified_address (${columns}, address_folded) values ($1, $2, $3, $4, $5, $6)
         on conflict do nothing returning id`,
        [toText(id), toText(address), status, toNullableText(tokenHash), createdAt, foldAddress(address)],
      );
      if (row === undefined) throw new Problem("conflict");
      if ((outbound.entries ?? []).length > 0) await countQuestion(session, foldAddress(address), createdAt);
      await addOutbound(session, outbound);
    });
  }

  async listVerifiedAddresses(): Promise<readonly VerifiedAddress[]> {
    return await this.#select("order by address_folded", []);
  }

  async getVerifiedAddress(id: string): Promise<VerifiedAddress | undefined> {
    return (await this.#select("where id = $1", [toText(id)]))[0];
  }

  async findVerifiedAddress(address: string): Promise<VerifiedAddress | undefined> {
    return (await this.#select("where address_folded = $1", [foldAddress(address)]))[0];
  }

  async verifyAddress(id: string): Promise<VerifiedAddress | undefined> {
    const [row] = await this.#database.transact(async (session) => {
      await withdrawQuestion(session, id);
      return await session.query<AddressRow>(
        `update verified_address set status = 'Verified', token_hash = null where id = $1 returning ${columns}`,
        [toText(id)],
      );
    });
    return row === undefined ? undefined : toAddress(row);
  }

  async removeVerifiedAddress(id: string): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      await withdrawQuestion(session, id);
      const rows = await session.query("delete from verified_address where id = $1 returning id", [toText(id)]);
      return rows.length > 0;
    });
  }

  async #select(rest: string, parameters: readonly unknown[]): Promise<readonly VerifiedAddress[]> {
    const rows = await this.#database.query<AddressRow>(`select ${columns} from verified_address ${rest}`, parameters);
    return rows.map(toAddress);
  }
}

/** Nodes that ask the same owner at once wait for each other at the row of the verified address. */
async function countQuestion(session: Session, folded: string, now: number): Promise<void> {
  const [asked] = await session.query<{ asked_at: number }>(
    "select asked_at from verification_mail where address_folded = $1",
    [folded],
  );
  refuseRepeatedVerification(asked?.asked_at ?? null, now);
  await session.query("delete from verification_mail where abs(asked_at - $1) >= $2", [now, verificationPauseMs]);
  await session.query("insert into verification_mail (address_folded, asked_at) values ($1, $2)", [folded, now]);
}

async function withdrawQuestion(session: Session, addressId: string): Promise<void> {
  await session.query("delete from outbox where entry = $1", [toText(verificationEntryId(addressId))]);
}

function toAddress({ id, address, status, token_hash, created_at }: AddressRow): VerifiedAddress {
  return { id: fromText(id), address: fromText(address), status, tokenHash: token_hash, createdAt: created_at };
}
