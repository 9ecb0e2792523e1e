import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredDevice } from "../../../core/device.ts";
import { Problem } from "../../../core/errors.ts";

const deviceColumns = "id, name, sealed_secret as sealedSecret, created_at as createdAt";

/** Queries of devices. */
export class DeviceReads {
  readonly #one: StatementSync;
  readonly #all: StatementSync;

  constructor(database: DatabaseSync) {
    this.#one = database.prepare(`select ${deviceColumns} from device where id = ?`);
    this.#all = database.prepare(`select ${deviceColumns} from device order by created_at, id`);
  }

  get(id: string): StoredDevice | undefined {
    const row = this.#one.get(id);
    return row === undefined ? undefined : { ...(row as unknown as StoredDevice) };
  }

  list(): readonly StoredDevice[] {
    return this.#all.all().map((row) => ({ ...(row as unknown as StoredDevice) }));
  }
}

/** Changes of devices, for use inside the writer's transaction. */
export class DeviceWrites {
  readonly #taken: StatementSync;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#taken = database.prepare("select 1 from device where id = ?");
    this.#insert = database.prepare("insert into device (id, name, sealed_secret, created_at) values (?, ?, ?, ?)");
    this.#remove = database.prepare("delete from device where id = ?");
  }

  add({ id, name, sealedSecret, createdAt }: StoredDevice): void {
    if (this.#taken.get(id) !== undefined) throw new Problem("conflict");
    this.#insert.run(id, name, sealedSecret, createdAt);
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes > 0;
  }
}
