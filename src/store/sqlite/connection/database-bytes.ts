import { stat } from "node:fs/promises";

/** Returns the size of a database on disk, including its write-ahead log and shared memory; 0 for missing files. */
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
