/** Databases of a drill: the one that is backed up, and a server that gets the copy. */
import { openDatabase } from "../connection/database.ts";
import { isDistributed } from "../schema/citus.ts";
import { requireCurrentSchema } from "./compare.ts";

/** Open databases; disposing closes the connections. */
export interface DrillDatabases extends AsyncDisposable {
  /** Size on disk of the database that is backed up. */
  readonly sizeBytes: number;
  /** Whether it is distributed by Citus. */
  readonly isDistributed: boolean;
  /** Creates an empty database on the server of the copy. */
  create(name: string): Promise<void>;
  /** Removes a database that {@link create} has created; does nothing for others. Rejects with its name when that fails. */
  drop(name: string): Promise<void>;
}

/** Longest time of a statement: creating a database waits for a checkpoint. */
const statementMsMax = 10 * 60_000;

/** Opens the databases by URLs. Rejects with a plain `Error` for the operator when the first one has another schema. */
export async function openDrillDatabases(sourceUrl: string, serverUrl: string): Promise<DrillDatabases> {
  const options = { connectionCountMax: 1, statementMsMax };
  await using opened = new AsyncDisposableStack();
  const source = opened.adopt(openDatabase(sourceUrl, options), (database) => database.close());
  const server = opened.adopt(openDatabase(serverUrl, options), (database) => database.close());
  await requireCurrentSchema(source);
  const [row] = await source.query<{ readonly size: number }>("select pg_database_size(current_database()) as size");
  const isOfCitus = await isDistributed(source);
  const created = new Set<string>();
  const connections = opened.move();
  return {
    sizeBytes: row?.size ?? 0,
    isDistributed: isOfCitus,
    create: async (name) => {
      await server.query(`create database "${name}" template template0`);
      created.add(name);
    },
    drop: async (name) => {
      if (!created.delete(name)) return;
      await server.query(`drop database if exists "${name}" with (force)`).catch((error: unknown) => {
        throw new Error(`The database ${name} of the drill could not be removed: drop it yourself`, { cause: error });
      });
    },
    [Symbol.asyncDispose]: async () => connections.disposeAsync(),
  };
}
