import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../core/errors.ts";
import { foldAddress } from "../../core/fold.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import type { Departure } from "../outbox-store.ts";
import type { OutboxWrites } from "./outbox.ts";

const columns = "id, address, status, token_hash as tokenHash, created_at as createdAt";

/** What the writer's thread can be asked about verified addresses. */
export interface VerifiedAddressCalls {
  addVerifiedAddress(address: VerifiedAddress, departure: Departure): void;
  verifyAddress(id: string): VerifiedAddress | undefined;
  removeVerifiedAddress(id: string): boolean;
}

/** Questions about verified addresses. */
export class VerifiedAddressReads {
  readonly #all: StatementSync;
  readonly #one: StatementSync;
  readonly #byAddress: StatementSync;

  constructor(database: DatabaseSync) {
    this.#all = database.prepare(`select ${columns} from verified_address order by address_folded`);
    this.#one = database.prepare(`select ${columns} from verified_address where id = ?`);
    this.#byAddress = database.prepare(`select ${columns} from verified_address where address_folded = ?`);
  }

  list(): readonly VerifiedAddress[] {
    return this.#all.all().map((row) => ({ ...(row as unknown as VerifiedAddress) }));
  }

  get(id: string): VerifiedAddress | undefined {
    return toAddress(this.#one.get(id));
  }

  find(address: string): VerifiedAddress | undefined {
    return toAddress(this.#byAddress.get(foldAddress(address)));
  }
}

/** Changes of verified addresses, for use inside the writer's transaction. */
export class VerifiedAddressWrites implements VerifiedAddressCalls {
  readonly #outbox: OutboxWrites;
  readonly #taken: StatementSync;
  readonly #insert: StatementSync;
  readonly #verify: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync, outbox: OutboxWrites) {
    this.#outbox = outbox;
    this.#taken = database.prepare("select 1 from verified_address where id = ? or address_folded = ?");
    this.#insert = database.prepare(
      `insert into verified_address (id, address, address_folded, status, token_hash, created_at)
       values (?, ?, ?, ?, ?, ?)`,
    );
    this.#verify = database.prepare(
      `update verified_address set status = 'Verified', token_hash = null where id = ? returning ${columns}`,
    );
    this.#remove = database.prepare("delete from verified_address where id = ?");
  }

  addVerifiedAddress({ id, address, status, tokenHash, createdAt }: VerifiedAddress, departure: Departure): void {
    const folded = foldAddress(address);
    if (this.#taken.get(id, folded) !== undefined) throw new Problem("conflict");
    this.#outbox.depart(departure);
    this.#insert.run(id, address, folded, status, tokenHash, createdAt);
  }

  verifyAddress(id: string): VerifiedAddress | undefined {
    return toAddress(this.#verify.get(id));
  }

  removeVerifiedAddress(id: string): boolean {
    return this.#remove.run(id).changes > 0;
  }
}

function toAddress(row: unknown): VerifiedAddress | undefined {
  return row === undefined ? undefined : { ...(row as VerifiedAddress) };
}
