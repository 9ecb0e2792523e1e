import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import { foldAddress } from "../../../core/fold.ts";
import type { VerifiedAddress } from "../../../core/verified-address.ts";
import type { OutboundEntries } from "../../outbox-store.ts";
import { refuseRepeatedVerification, verificationEntryId, verificationPauseMs } from "../../verification-window.ts";
import type { OutboxWrites } from "./outbox.ts";

const columns = "id, address, status, token_hash as tokenHash, created_at as createdAt";

/** Calls of the writer thread about verified addresses. */
export interface VerifiedAddressCalls {
  addVerifiedAddress(address: VerifiedAddress, outbound: OutboundEntries): void;
  verifyAddress(id: string): VerifiedAddress | undefined;
  removeVerifiedAddress(id: string): boolean;
}

/** Queries of verified addresses. */
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
  readonly #asked: StatementSync;
  readonly #setAsked: StatementSync;
  readonly #removeAsked: StatementSync;
  readonly #insert: StatementSync;
  readonly #verify: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync, outbox: OutboxWrites) {
    this.#outbox = outbox;
    this.#taken = database.prepare("select 1 from verified_address where id = ? or address_folded = ?");
    this.#asked = database.prepare("select asked_at as askedAt from verification_mail where address_folded = ?");
    this.#setAsked = database.prepare("insert into verification_mail (address_folded, asked_at) values (?, ?)");
    this.#removeAsked = database.prepare("delete from verification_mail where abs(asked_at - ?) >= ?");
    this.#insert = database.prepare(
      `insert into verified_address (id, address, address_folded, status, token_hash, created_at)
       values (?, ?, ?, ?, ?, ?)`,
    );
    this.#verify = database.prepare(
      `update verified_address set status = 'Verified', token_hash = null where id = ? returning ${columns}`,
    );
    this.#remove = database.prepare("delete from verified_address where id = ?");
  }

  addVerifiedAddress({ id, address, status, tokenHash, createdAt }: VerifiedAddress, outbound: OutboundEntries): void {
    const folded = foldAddress(address);
    if (this.#taken.get(id, folded) !== undefined) throw new Problem("conflict");
    const asksOwner = (outbound.entries ?? []).length > 0;
    // All checks come before the first write.
    if (asksOwner) refuseRepeatedVerification(this.#askedAt(folded), createdAt);
    this.#outbox.add(outbound);
    if (asksOwner) {
      this.#removeAsked.run(createdAt, verificationPauseMs);
      this.#setAsked.run(folded, createdAt);
    }
    this.#insert.run(id, address, folded, status, tokenHash, createdAt);
  }

  #askedAt(folded: string): number | null {
    return (this.#asked.get(folded)?.["askedAt"] ?? null) as number | null;
  }

  verifyAddress(id: string): VerifiedAddress | undefined {
    this.#outbox.removeEntry(verificationEntryId(id));
    return toAddress(this.#verify.get(id));
  }

  removeVerifiedAddress(id: string): boolean {
    this.#outbox.removeEntry(verificationEntryId(id));
    return this.#remove.run(id).changes > 0;
  }
}

function toAddress(row: unknown): VerifiedAddress | undefined {
  return row === undefined ? undefined : { ...(row as VerifiedAddress) };
}
