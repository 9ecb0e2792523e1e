/** A file system of a few megabytes, for tests of what happens when it is full. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

const namespaceFlags = process.getuid?.() === 0 ? ["-m"] : ["-Urm"];

/** Why no file system can be mounted here; null where it can be. */
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

/** tmpfs mounted over a folder, which only processes of its own mount namespace see. */
export class SmallDisk {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** Mounts `sizeMiB` over a folder that exists. */
  static async mount(folder: string, sizeMiB: number): Promise<SmallDisk> {
    const script = `mount -t tmpfs -o size=${sizeMiB}m,mode=700 tmpfs "$1" && echo mounted && exec cat`;
    const holder = spawn("unshare", [...namespaceFlags, "sh", "-c", script, "sh", folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    return new SmallDisk(holder);
  }

  /** Words in front of a command that is to see the file system. */
  get prefix(): readonly [string, ...string[]] {
    const user = namespaceFlags[0] === "-m" ? [] : ["-U", "--preserve-credentials"];
    return ["nsenter", `--target=${this.#holder.pid}`, ...user, "-m", "--"];
  }

  /** Runs a shell command that sees the file system; answers what it printed. */
  run(command: string): string {
    const [program, ...words] = this.prefix;
    return execFileSync(program, [...words, "sh", "-c", command], { encoding: "utf8" });
  }

  /** Unmounts it, once nothing uses it any more. */
  async unmount(): Promise<void> {
    const ended = once(this.#holder, "close");
    this.#holder.stdin?.end();
    await ended;
  }
}
