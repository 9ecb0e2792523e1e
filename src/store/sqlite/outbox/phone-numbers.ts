import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound, Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { OwnedNumber } from "../../../core/phone-number.ts";
import type { PhoneNumberChange } from "../../permission-stores.ts";
import { overwriting } from "../content/overwriting.ts";

const columns = "id, number, server, provider, sealed_secrets as sealedSecrets, webhook, created_at as createdAt";

/** Calls of the writer thread about phone numbers. */
export interface PhoneNumberCalls {
  addPhoneNumber(record: OwnedNumber): void;
  updatePhoneNumber(id: string, change: PhoneNumberChange): OwnedNumber | undefined;
  removePhoneNumber(id: string): boolean;
}

/** Queries of phone numbers. */
export class PhoneNumberReads {
  readonly #all: StatementSync;
  readonly #byNumber: StatementSync;

  constructor(database: DatabaseSync) {
    this.#all = database.prepare(`select ${columns} from phone_number order by number`);
    this.#byNumber = database.prepare(`select ${columns} from phone_number where number = ?`);
  }

  list(): readonly OwnedNumber[] {
    return this.#all.all().map((row) => ({ ...(row as unknown as OwnedNumber) }));
  }

  find(number: string): OwnedNumber | undefined {
    const row = this.#byNumber.get(number);
    return row === undefined ? undefined : { ...(row as unknown as OwnedNumber) };
  }
}

/** Changes of phone numbers, for use inside the writer's transaction. */
export class PhoneNumberWrites implements PhoneNumberCalls {
  readonly #database: DatabaseSync;
  readonly #taken: StatementSync;
  readonly #server: StatementSync;
  readonly #insert: StatementSync;
  readonly #byId: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeOf: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#taken = database.prepare("select 1 from phone_number where id = ? or number = ?");
    this.#server = database.prepare("select 1 from server where id = ?");
    this.#insert = database.prepare(
      `insert into phone_number (id, number, server, provider, sealed_secrets, webhook, created_at)
       values (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#byId = database.prepare(`select ${columns} from phone_number where id = ?`);
    this.#update = database.prepare(
      "update phone_number set server = ?, provider = ?, sealed_secrets = ?, webhook = ? where id = ?",
    );
    this.#remove = database.prepare("delete from phone_number where id = ?");
    this.#removeOf = database.prepare("delete from phone_number where server = ?");
  }

  addPhoneNumber({ id, number, server, provider, sealedSecrets, webhook, createdAt }: OwnedNumber): void {
    if (this.#server.get(server) === undefined) throw notFound("Server");
    if (this.#taken.get(id, number) !== undefined) throw new Problem("conflict");
    this.#insert.run(id, number, server, provider, sealedSecrets, webhook, createdAt);
  }

  updatePhoneNumber(id: string, change: PhoneNumberChange): OwnedNumber | undefined {
    if (change.server !== undefined && this.#server.get(change.server) === undefined) throw notFound("Server");
    const before = this.#byId.get(id) as unknown as OwnedNumber | undefined;
    if (before === undefined) return undefined;
    const after = { ...before, ...change };
    overwriting(this.#database, () => {
      this.#update.run(after.server, after.provider, after.sealedSecrets, after.webhook, id);
    });
    return after;
  }

  removePhoneNumber(id: string): boolean {
    return this.#remove.run(id).changes > 0;
  }

  /** Removes the numbers of a deleted server. */
  removeOf(server: ServerId): void {
    this.#removeOf.run(server);
  }
}
