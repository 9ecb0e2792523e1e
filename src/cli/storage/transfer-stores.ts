/** Stores of exports and imports, as the settings name them. */
import type { Config } from "../../app/settings/config.ts";
import { reachDatabase } from "../../app/reach-database.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { openSqliteSource } from "../../store/sqlite/backup/source.ts";
import type { StoreSource } from "../../store/store-source.ts";
import type { Store } from "../../store/store.ts";

type Place = Pick<Config, "databaseUrl" | "dataDir" | "blobUrl">;

/** Opens the store for reading, also while its service runs. Rejects with an `Error` for the operator. */
export async function openSource(place: Place): Promise<StoreSource & Partial<Pick<Store, "audit">>> {
  return place.databaseUrl === null ? openSqliteSource(place.dataDir) : await openShared(place, place.databaseUrl);
}

/**
 * Opens the store for writing and creates it if it does not exist. Rejects with an `Error` for the operator, also when a
 * service is running in the data folder.
 */
export async function openTarget(place: Place): Promise<Store> {
  const { databaseUrl, dataDir } = place;
  return databaseUrl === null
    ? await openSqliteStore({ directory: dataDir, durable: true })
    : await openShared(place, databaseUrl);
}

async function openShared({ blobUrl }: Place, url: string): Promise<Store> {
  const { openPostgresStore } = await import("../../store/postgres/open.ts");
  return await reachDatabase(async () => {
    const largeContent =
      blobUrl === null ? null : (await import("../../store/postgres/content/blobs-s3.ts")).openS3(blobUrl);
    return await openPostgresStore({ url, largeContent });
  });
}
