/** Folder in memory for the files of tests. */
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

/** File system in memory of Linux. */
const folder = "/dev/shm";
/** The PostgreSQL servers of a run take up to 0.5 GB. */
const freeBytesMin = 2e9;

/**
 * Returns a folder in memory when it has 2 GB of space, otherwise that for temporary files. It is for servers with
 * thousands of files: ext4 without a journal searches through those deleted in the last minutes for each new one.
 */
export async function memoryFolder(): Promise<string> {
  return (await hasMemory(freeBytesMin)) ? folder : tmpdir();
}

/** Whether the folder in memory has this space; that of a container may have 64 MB. */
export async function hasMemory(bytes: number): Promise<boolean> {
  const space = await statfs(folder).catch(() => undefined);
  return space !== undefined && space.bavail * space.bsize >= bytes;
}
