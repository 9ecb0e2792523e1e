/** Where browsers keep what they need while they live: below the temporary folder, and nobody else's. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder that only this user can write to, the same for all services of this user: what lies in it is run, so it must
 * not be anybody else's gift. Where such a one cannot be had, a new one.
 */
export function openBrowserFolder(parent: string = tmpdir()): string {
  const owner = process.getuid?.() ?? null;
  const folder = join(parent, `restante-browser-${owner ?? "user"}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    const isOwn = lstatSync(folder).isDirectory() && (owner === null || (uid === owner && (mode & 0o077) === 0));
    if (isOwn) return folder;
  } catch {
    // Somebody else's, or no folder: below.
  }
  return mkdtempSync(join(parent, "restante-browser-"));
}

/**
 * A new folder in there, for one browser of this process; to be removed with {@link removeFolder}. Those of processes that
 * were killed are removed on the way.
 */
export function openSessionFolder(folder: string): string {
  for (const name of readdirSync(folder)) {
    const [, owner] = /^session-(\d+)-/.exec(name) ?? [];
    if (owner !== undefined && !isAlive(Number(owner))) removeFolder(join(folder, name));
  }
  return mkdtempSync(join(folder, `session-${String(process.pid)}-`));
}

/** Removes a folder with all that is in it; one that is in use is left behind. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // What is still being written to is in the temporary folder, and small.
  }
}

/**
 * What `unpack` puts into the folder that it is given, whole or not at all: other services of this user may look at the
 * same time, and any of them may be killed.
 */
export async function unpackOnce(
  folder: string,
  name: string,
  unpack: (into: string) => Promise<unknown>,
): Promise<string> {
  const unpacked = join(folder, name);
  if (existsSync(unpacked)) return unpacked;
  const unfinished = mkdtempSync(join(folder, "unpacking-"));
  try {
    await unpack(unfinished);
    renameSync(unfinished, unpacked);
  } catch (error) {
    // Somebody else was quicker.
    if (!existsSync(unpacked)) throw error;
  } finally {
    removeFolder(unfinished);
  }
  return unpacked;
}

/** Also of processes that may not be asked. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
