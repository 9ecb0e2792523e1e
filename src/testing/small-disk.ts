/** File system of a few megabytes, for tests of a full disk. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

const namespaceFlags = process.getuid?.() === 0 ? ["-m"] : ["-Urm"];

/** Reason why no file system can be mounted on this machine; null when it can. */
export function smallDiskObstacle(): string | null {
  if (process.platform !== "linux") return "tmpfs in a mount namespace is a thing of Linux";
  try {
    execFileSync("unshare", [...namespaceFlags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "pipe" });
    execFileSync("nsenter", ["--version"], { stdio: "pipe" });
    return null;
  } catch (error) {
    return `unshare and mount are not permitted (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** tmpfs mounted over a folder, visible only in its own mount namespace. */
export class SmallDisk {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** Mounts a tmpfs of `sizeMiB` over an existing folder. */
  static async mount(folder: string, sizeMiB: number): Promise<SmallDisk> {
    const script = `mount -t tmpfs -o size=${sizeMiB}m,mode=700 tmpfs "$1" && echo mounted && exec cat`;
    const holder = spawn("unshare", [...namespaceFlags, "sh", "-c", script, "sh", folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    return new SmallDisk(holder);
  }

  /** Command prefix that runs a program in the mount namespace. */
  get prefix(): readonly [string, ...string[]] {
    const user = namespaceFlags[0] === "-m" ? [] : ["-U", "--preserve-credentials"];
    return ["nsenter", `--target=${this.#holder.pid}`, ...user, "-m", "--"];
  }

  /** Runs a shell command in the mount namespace; returns its output. */
  run(command: string): string {
    const [program, ...words] = this.prefix;
    return execFileSync(program, [...words, "sh", "-c", command], { encoding: "utf8" });
  }

  /** Unmounts the file system once it is unused. */
  async unmount(): Promise<void> {
    const ended = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await ended;
  }
}
