import { stat } from "node:fs/promises";

/** Bytes that a database takes on its medium, with its write-ahead log; 0 for one that is not there. */
export async function databaseSize(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`, `${file}-shm`].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
