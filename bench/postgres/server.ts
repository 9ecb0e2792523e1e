/** Measured PostgreSQL, and the CPU time of its processes. */
import { readFileSync, readdirSync } from "node:fs";
import pg from "pg";
import { dropDatabase, EmbeddedPostgres } from "../../src/store/postgres/embedded-postgres.test-aid.ts";

/** CPU time in milliseconds, and the part of it in the kernel. */
export interface ProcessorTime {
  readonly allMs: number;
  readonly kernelMs: number;
}

/** PostgreSQL for one benchmark, with durable commits. */
export class MeasuredPostgres implements AsyncDisposable {
  readonly #postgres: EmbeddedPostgres;
  readonly #mainPid: number;

  private constructor(postgres: EmbeddedPostgres, mainPid: number) {
    this.#postgres = postgres;
    this.#mainPid = mainPid;
  }

  static async start(): Promise<MeasuredPostgres> {
    // Settings of a dedicated installation; with automatic checkpoints, only some runs would include one.
    const settings = [
      "shared_buffers=512MB",
      "min_wal_size=2GB",
      "max_wal_size=8GB",
      "checkpoint_timeout=30min",
      "wal_compression=off",
    ];
    const postgres = await EmbeddedPostgres.start({ durable: true, settings });
    const client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const parent = Number(statOf(rows[0]?.pid ?? 0)[1]);
    await fillLog(client);
    await client.end();
    return new MeasuredPostgres(postgres, parent);
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(): Promise<string> {
    return await this.#postgres.createDatabase();
  }

  /** Drops a database, so that its vacuuming does not affect later measurements. */
  async dropDatabase(url: string): Promise<void> {
    await dropDatabase(url);
  }

  /**
   * Returns the CPU time of all processes so far: the postmaster, running children, and exited children, whose
   * time the postmaster includes.
   */
  processorTime(): ProcessorTime {
    const [user = 0, kernel = 0, childrenUser = 0, childrenKernel = 0] = statOf(this.#mainPid)
      .slice(11, 15)
      .map(Number);
    let [allTicks, kernelTicks] = [user + kernel + childrenUser + childrenKernel, kernel + childrenKernel];
    for (const name of readdirSync("/proc")) {
      const fields = /^\d+$/.test(name) ? statOf(Number(name)) : [];
      if (Number(fields[1]) !== this.#mainPid) continue;
      allTicks += Number(fields[11]) + Number(fields[12]);
      kernelTicks += Number(fields[12]);
    }
    return { allMs: allTicks * 10, kernelMs: kernelTicks * 10 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#postgres.stop();
  }
}

/**
 * Writes a gigabyte of write-ahead log files for reuse: a database that has run for an hour creates no new ones,
 * which takes 10 to 50 % of the measured CPU time.
 */
async function fillLog(client: pg.Client): Promise<void> {
  for (let file = 0; file < 64; file += 1) {
    await client.query("select pg_logical_emit_message(false, 'bench', 'x')");
    await client.query("select pg_switch_wal()");
  }
  await client.query("checkpoint");
}

/** Returns the fields of `/proc/…/stat` after the name; none when the process has exited. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}
