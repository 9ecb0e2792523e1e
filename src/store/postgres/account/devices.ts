import type { StoredDevice } from "../../../core/device.ts";
import { Problem } from "../../../core/errors.ts";
import type { Database } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";

interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly sealed_secret: Buffer;
  readonly created_at: number;
}

const columns = "id, name, sealed_secret, created_at";

/** Authenticators of the account. */
export class Devices {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ id, name, sealedSecret, createdAt }: StoredDevice): Promise<void> {
    const [row] = await this.#database.query(
      `insert into device (${columns}) values ($1, $2, $3, $4) on conflict do nothing returning id`,
      [toText(id), toText(name), Buffer.from(sealedSecret), createdAt],
    );
    if (row === undefined) throw new Problem("conflict");
  }

  /** Returns all devices, oldest first. */
  async list(): Promise<readonly StoredDevice[]> {
    const rows = await this.#database.query<DeviceRow>(`select ${columns} from device order by created_at, id`);
    return rows.map(toDevice);
  }

  async get(id: string): Promise<StoredDevice | undefined> {
    const [row] = await this.#database.query<DeviceRow>(`select ${columns} from device where id = $1`, [toText(id)]);
    return row === undefined ? undefined : toDevice(row);
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#database.query("delete from device where id = $1 returning id", [toText(id)])).length > 0;
  }
}

function toDevice(row: DeviceRow): StoredDevice {
  return {
    id: fromText(row.id),
    name: fromText(row.name),
    sealedSecret: row.sealed_secret,
    createdAt: row.created_at,
  };
}
