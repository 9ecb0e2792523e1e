/** S3 server from npm in a separate process. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../testing/free-port.test-aid.ts";

const bucket = "restante-test";
const startMsMax = 120_000;

/** S3 server with one empty bucket. */
export class S3Server implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** Starts a server; resolves when it accepts requests. */
  static async start(): Promise<S3Server> {
    const server = new S3Server(await mkdtemp(path.join(tmpdir(), "restante-s3-")), await freePort());
    await server.restart();
    return server;
  }

  /** Value of `RESTANTE_BLOB_URL`. */
  get url(): string {
    return `s3://S3RVER:S3RVER@127.0.0.1:${String(this.#port)}/${bucket}?tls=off`;
  }

  /** Starts it again after {@link kill} with the same objects. */
  async restart(): Promise<void> {
    const main = fileURLToPath(new URL("cli.js", import.meta.resolve("@20minutes/s3rver")));
    const source = `require(${JSON.stringify(main)}).parseAsync(["node", "s3rver", ...process.argv.slice(1)])`;
    const flags = ["-d", this.#folder, "-a", "127.0.0.1", "-p", String(this.#port), "-s", "--configure-bucket", bucket];
    this.#process = spawn(process.execPath, ["--eval", source, "--", ...flags], { stdio: "ignore" });
    for (const until = Date.now() + startMsMax; Date.now() < until; await pause(20)) {
      const response = await fetch(`http://127.0.0.1:${String(this.#port)}/`).catch(() => undefined);
      if (response !== undefined && existsSync(path.join(this.#folder, bucket))) return;
    }
    throw new Error(`the S3 server did not start within ${String(startMsMax)} ms`);
  }

  async kill(): Promise<void> {
    const process_ = this.#process;
    this.#process = undefined;
    if (process_ === undefined || process_.exitCode !== null) return;
    const exited = once(process_, "exit");
    process_.kill("SIGKILL");
    await exited;
  }

  /** Returns the number of objects. */
  async objectCount(): Promise<number> {
    const names = await readdir(path.join(this.#folder, bucket), { recursive: true });
    return names.filter((name) => name.endsWith("._S3rver_object")).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
