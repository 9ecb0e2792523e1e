/** Folder of a shared service: one for each user, project, installation of the package, and settings. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { readVersion } from "../../app/version.ts";
import type { SharedSettings } from "./protocol.ts";

/** Paths of a shared service. */
export interface SharedFolder {
  readonly folder: string;
  /** Unix socket, or named pipe on Windows, on which the service listens for callers. */
  readonly socketPath: string;
  readonly logFile: string;
  /** Folder that is locked by the caller that starts a service. */
  readonly startLock: string;
  /** Folder that is locked by the service until it has exited. */
  readonly serviceLock: string;
}

/** Longest path of a Unix socket on macOS; Linux has 107 (unix(7)). */
const socketPathLengthMax = 103;

/**
 * Creates and returns the folder for callers in `project`, below the temporary folder. Throws an `Error` when another user
 * could access it.
 */
export function openSharedFolder(settings: SharedSettings, project: string): SharedFolder {
  const { uid } = userInfo();
  const parent = parentFolder(uid);
  requirePrivate(parent, uid);
  const key = [project, import.meta.dirname, readVersion(), settings.mailDomain, settings.chromium];
  const name = createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 16);
  const folder = join(parent, name);
  const [startLock, serviceLock] = [join(folder, "start"), join(folder, "service")];
  for (const path of [startLock, serviceLock]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const socketPath = process.platform === "win32" ? `\\\\.\\pipe\\restante-${uid}-${name}` : join(folder, "socket");
  return { folder, socketPath, logFile: join(folder, "service.log"), startLock, serviceLock };
}

/** Returns the folder of the project: the nearest one with a `package.json`, from the given folder upwards. */
export function projectFolder(from: string = process.cwd()): string {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return realpathSync(from);
  }
}

function parentFolder(uid: number): string {
  const name = `restante-shared-${uid < 0 ? "user" : uid}`;
  const parent = join(tmpdir(), name);
  // The folder of a service and its socket take 24 characters more.
  return parent.length + 24 <= socketPathLengthMax || process.platform === "win32" ? parent : join("/tmp", name);
}

/** The temporary folder is shared with other users, who must not be able to offer a service of theirs. */
function requirePrivate(folder: string, uid: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === "win32") return;
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  throw new Error(
    `${folder} must be a folder that only you can access: remove it, set TMPDIR to another folder, or use startRestante({ shared: false })`,
  );
}
