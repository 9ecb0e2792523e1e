/** The PostgreSQL under measurement, and what its processes use. */
import { readFileSync, readdirSync } from "node:fs";
import pg from "pg";
import { dropDatabase, EmbeddedPostgres } from "../../src/store/postgres/embedded-postgres.test-aid.ts";

/** Processor time in milliseconds, and how much of it the kernel took. */
export interface ProcessorTime {
  readonly allMs: number;
  readonly kernelMs: number;
}

/** A durable PostgreSQL of the benchmark's own. */
export class MeasuredPostgres implements AsyncDisposable {
  readonly #postgres: EmbeddedPostgres;
  readonly #mainPid: number;

  private constructor(postgres: EmbeddedPostgres, mainPid: number) {
    this.#postgres = postgres;
    this.#mainPid = mainPid;
  }

  static async start(): Promise<MeasuredPostgres> {
    // What an installation for this work would have; checkpoints as they come would fall into some runs and not into others.
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

  /** An empty database; its URL. */
  async createDatabase(): Promise<string> {
    return await this.#postgres.createDatabase();
  }

  /** Drops one, so that vacuuming it falls into no later measurement. */
  async dropDatabase(url: string): Promise<void> {
    await dropDatabase(url);
  }

  /**
   * Processor time of all its processes so far: of the main one, of those that live, and of those that have ended, whose
   * time it has inherited.
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
 * Writes a gigabyte of log files and has them kept for use again: a database that has run for an hour makes no new ones,
 * which takes a tenth to a half of the processor time that is measured here.
 */
async function fillLog(client: pg.Client): Promise<void> {
  for (let file = 0; file < 64; file += 1) {
    await client.query("select pg_logical_emit_message(false, 'bench', 'x')");
    await client.query("select pg_switch_wal()");
  }
  await client.query("checkpoint");
}

/** The fields of `/proc/…/stat` behind the name; none when the process is gone. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}
