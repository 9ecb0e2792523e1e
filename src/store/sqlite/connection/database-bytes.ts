import { stat } from "node:fs/promises";

/** What a database takes on its medium, its log and index beside it included; a file that is not there takes nothing. */
export async function databaseBytes(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`, `${file}-shm`].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
