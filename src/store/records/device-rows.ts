import type { StoredDevice } from "../../core/device.ts";
import { Problem } from "../../core/errors.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { SqlDialect } from "../sql/dialect.ts";

const selected = `select id, name, sealed_secret as "sealedSecret", created_at as "createdAt" from device`;

/** Statements about devices. Their guarantees are those of `AccountStore`. */
export class DeviceRows {
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  *addDevice({ id, name, sealedSecret, createdAt }: StoredDevice): Query<void> {
    const { toText } = this.#dialect;
    const added = yield* rowsOf(
      `insert into device (id, name, sealed_secret, created_at) values ($1, $2, $3, $4)
       on conflict do nothing returning id`,
      [toText(id), toText(name), sealedSecret, createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listDevices(): Query<readonly StoredDevice[]> {
    return (yield* rowsOf<StoredDevice>(`${selected} order by created_at, id`)).map((row) => this.#toDevice(row));
  }

  *getDevice(id: string): Query<StoredDevice | undefined> {
    const [row] = yield* rowsOf<StoredDevice>(`${selected} where id = $1`, [this.#dialect.toText(id)]);
    return row && this.#toDevice(row);
  }

  *removeDevice(id: string): Query<boolean> {
    return (yield* rowsOf("delete from device where id = $1 returning id", [this.#dialect.toText(id)])).length > 0;
  }

  #toDevice({ id, name, ...rest }: StoredDevice): StoredDevice {
    const { fromText } = this.#dialect;
    return { ...rest, id: fromText(id), name: fromText(name) };
  }
}
