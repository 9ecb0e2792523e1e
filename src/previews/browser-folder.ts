/** Folders of the browsers, below the temporary folder and private to this user. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Returns a folder that only this user can write to, the same for all services of this user: files in it are executed,
 * so another user must not be able to place them. If it cannot be created safely, returns a new one.
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
    // Owned by another user, or not a folder: create a new one.
  }
  return mkdtempSync(join(parent, "restante-browser-"));
}

/**
 * Creates a folder inside, for one browser of this process; remove it with {@link removeFolder}. Also removes the
 * folders of processes that no longer run.
 */
export function openSessionFolder(folder: string): string {
  for (const name of readdirSync(folder)) {
    const [, owner] = /^session-(\d+)-/.exec(name) ?? [];
    if (owner !== undefined && !isAlive(Number(owner))) removeFolder(join(folder, name));
  }
  return mkdtempSync(join(folder, `session-${String(process.pid)}-`));
}

/** Removes a folder with its content; ignores errors, since a folder may be in use. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Files that are still being written are small and in the temporary folder.
  }
}

/**
 * Returns the folder with the files that `unpack` writes. The folder appears atomically, because other services of
 * this user may unpack at the same time and any of them may be killed.
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
    // Another process was faster.
    if (!existsSync(unpacked)) throw error;
  } finally {
    removeFolder(unfinished);
  }
  return unpacked;
}

/** Whether a process runs, including one that may not be signalled. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
