/** Steps of `restante drill`. */
import { mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { backupFolder, databaseFileName } from "../../store/sqlite/backup/backup.ts";
import { compareCopies, type ServerComparison } from "../../store/sqlite/backup/compare.ts";
import { checkFolder } from "../../store/sqlite/backup/repair.ts";
import { restoreFolder } from "../../store/sqlite/backup/restore.ts";
import { freeBytesOf, reserveBytesMax } from "../../store/sqlite/maintenance/reserve.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { plainMessage } from "../plain-message.ts";
import { backedUpFiles } from "./backup.ts";
import { listIds } from "./check-shared.ts";
import { megabytes, whole } from "./progress-bar.ts";
import { counted } from "./transfer-stores.ts";

/** Parameters of {@link runDrill}. */
export interface DrillOptions {
  readonly dataDir: string;
  /** Backup to restore; null to make one. */
  readonly backup: string | null;
  /** Number of newest messages whose contents are compared. */
  readonly sampleCount: number;
  readonly clock: Clock;
  /** Names of secrets that are set as settings, so that no backup contains them. */
  readonly secretNames: readonly string[];
  /** Ends the drill after its current step. */
  readonly interrupted: AbortSignal;
  /** Returns the free bytes of a folder, null when they are not known; by default those that its file system reports. */
  readonly freeBytesIn?: (folder: string) => number | null;
}

/** Result of one step, in order. A step after a failed one that it depends on is `skipped`. */
export interface DrillStep {
  readonly step: "backup" | "restore" | "check" | "compare" | "open";
  readonly status: "ok" | "failed" | "skipped";
  readonly seconds: number;
  readonly text: string;
}

/** Result of a drill; the document of `--json`. */
export interface DrillReport {
  /** Whether no step failed. */
  readonly passed: boolean;
  readonly startedAt: string;
  readonly dataDir: string;
  /** Path of the given backup; null when one was made. */
  readonly backup: string | null;
  readonly steps: readonly DrillStep[];
  readonly servers: readonly (ServerComparison & { readonly isFaulty: boolean })[];
  /** Data that was not compared, and files that the backup lacks. */
  readonly notes: readonly string[];
}

/** Result of the body of a step. */
interface Outcome {
  readonly text: string;
  readonly status?: "failed" | "skipped";
}

/** Lines of findings that a report contains. */
const findingCountMax = 10;

/**
 * Restores a backup to a temporary folder, which is removed at the end, checks it and compares it with the data folder. Faults
 * of the backup are part of the report; rejects with a plain `Error` for the operator when the drill cannot run, and with the
 * reason of the signal when it is interrupted.
 */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const hasSource = statSync(join(options.dataDir, databaseFileName), { throwIfNoEntry: false }) !== undefined;
  requireSpace(options);
  const folder = mkdtempSync(join(tmpdir(), "restante-drill-"));
  try {
    return await new Drill(options, { folder, hasSource }).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireSpace({ dataDir, backup, freeBytesIn = freeBytesOfDisk }: DrillOptions): void {
  const database = join(dataDir, databaseFileName);
  const sizes = (backup === null ? [database, `${database}-wal`] : [backup]).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  if (sizes[0] === undefined)
    throw new Error(backup === null ? `There is no database at ${database}` : `There is no backup at ${backup}`);
  const sizeBytes = sizes.reduce<number>((sum, size = 0) => sum + size, 0);
  const neededBytes = sizeBytes * (backup === null ? 2 : 1) + 2 * reserveBytesMax;
  const freeBytes = freeBytesIn(tmpdir());
  if (freeBytes === null || freeBytes >= neededBytes) return;
  throw new Error(
    `The drill needs ${megabytes(neededBytes)} in ${tmpdir()}, which has ${megabytes(freeBytes)}: set TMPDIR to a folder on a disk with more space`,
  );
}

function freeBytesOfDisk(folder: string): number | null {
  return freeBytesOf(statfsSync(folder));
}

interface DrillPlace {
  readonly folder: string;
  /** Whether the data folder has a database to compare with. */
  readonly hasSource: boolean;
}

class Drill {
  readonly #options: DrillOptions;
  readonly #place: DrillPlace;
  readonly #steps: DrillStep[] = [];
  readonly #notes: string[] = [];
  #servers: DrillReport["servers"] = [];

  constructor(options: DrillOptions, place: DrillPlace) {
    this.#options = options;
    this.#place = place;
  }

  async run(): Promise<DrillReport> {
    const { dataDir, backup, clock } = this.#options;
    const startedAt = new Date(clock.now()).toISOString();
    const isRestored =
      (backup !== null || (await this.#step("backup", () => this.#backUp()))) &&
      (await this.#step("restore", () => this.#restore()));
    const later = [
      ["check", () => this.#check()],
      ["compare", () => this.#compare()],
      ["open", async () => this.#open()],
    ] as const;
    for (const [step, body] of later) await this.#step(step, isRestored ? body : () => notRestored);
    const passed = this.#steps.every(({ status }) => status !== "failed");
    return { passed, startedAt, dataDir, backup, steps: this.#steps, servers: this.#servers, notes: this.#notes };
  }

  get #backup(): string {
    return this.#options.backup ?? join(this.#place.folder, "drill.backup");
  }

  get #restored(): string {
    return join(this.#place.folder, "restored");
  }

  /** Runs a step and adds its result; returns whether it succeeded. */
  async #step(step: DrillStep["step"], body: () => Outcome | Promise<Outcome>): Promise<boolean> {
    await setImmediate();
    const { clock, interrupted } = this.#options;
    interrupted.throwIfAborted();
    const startMs = clock.monotonicMs();
    const outcome = await Promise.try(body).catch((error: unknown): Outcome => ({
      status: "failed",
      text: error instanceof Error ? plainMessage(error) : String(error),
    }));
    const seconds = Math.round((clock.monotonicMs() - startMs) / 100) / 10;
    const { status = "ok", text } = outcome;
    this.#steps.push({ step, status, seconds, text });
    return status === "ok";
  }

  #backUp(): Outcome {
    backupFolder(this.#options.dataDir, this.#backup, backedUpFiles);
    return { text: `${megabytes(statSync(this.#backup).size)} written` };
  }

  #restore(): Outcome {
    const { dataDir, clock, secretNames } = this.#options;
    const names = restoreFolder(this.#backup, this.#restored, { names: backedUpFiles, now: clock.now() });
    const sources = backedUpFiles.filter((name) => isFile(join(dataDir, name)));
    for (const name of sources) {
      if (!names.includes(name)) this.#notes.push(`${name} of the data folder is not in the backup`);
      else if (!readFileSync(join(dataDir, name)).equals(readFileSync(join(this.#restored, name)))) {
        this.#notes.push(`${name} of the data folder is another than that of the backup`);
      }
    }
    if (secretNames.length > 0) {
      this.#notes.push(`${secretNames.join(" and ")}: set in the environment, in no backup; keep a copy of your own`);
    }
    return { text: ["the database", ...names].join(", ") };
  }

  #check(): Outcome {
    const { messageCount, structure, messages } = checkFolder(this.#restored, () => undefined);
    const findings = [...structure, ...messages.map(({ id, problems }) => `message ${id}: ${problems.join("; ")}`)];
    const text = `${counted(messageCount, "message")} checked, ${counted(findings.length, "problem")} found`;
    if (findings.length === 0) return { text };
    return { status: "failed", text: [text, ...findings.slice(0, findingCountMax)].join("; ") };
  }

  #compare(): Outcome {
    const { dataDir, sampleCount } = this.#options;
    if (!this.#place.hasSource) return { status: "skipped", text: `there is no database in ${dataDir}` };
    const servers = compareCopies({ source: dataDir, restored: this.#restored, backup: this.#backup, sampleCount });
    this.#servers = servers.map((server) => ({ ...server, isFaulty: isFaulty(server) }));
    this.#note(servers);
    const faultyCount = this.#servers.filter((server) => server.isFaulty).length;
    const messageCount = sum(servers, ({ restoredCount }) => restoredCount);
    const text = `${counted(messageCount, "message")} of ${counted(servers.length, "server")} compared, ${counted(faultyCount, "server")} with faults`;
    return faultyCount === 0 ? { text } : { status: "failed", text };
  }

  #note(servers: readonly ServerComparison[]): void {
    const comparable = servers.filter(({ state }) => state === "compared");
    const sampledCount = sum(comparable, (server) => server.sampledCount);
    const commonCount = sum(comparable, ({ restoredCount, removedCount }) => restoredCount - removedCount);
    if (sampledCount < commonCount) {
      this.#notes.push(
        `the contents of ${whole(commonCount - sampledCount)} older messages were checked by their checksums, and not compared with the data folder`,
      );
    }
    this.#notes.push(
      "keys, users, marks, callbacks and other records: their pages and foreign keys were checked, and their rows not compared with the data folder",
    );
  }

  /** Opens the store as a service does, without anything that sends, and reads the newest message of each server. */
  async #open(): Promise<Outcome> {
    const store = await openSqliteStore({ directory: this.#restored, durable: false });
    try {
      let readCount = 0;
      for (const server of await store.listServers()) {
        const { ids } = await listIds(store, server.id, { page: 0, itemsPerPage: 1, direction: "Received" });
        const parts = ids.map(async (id) => [await store.getDetail(id), await store.getRaw(id)]);
        if ((await Promise.all(parts)).flat().includes(undefined)) {
          return { status: "failed", text: `message ${ids.join()} cannot be read` };
        }
        readCount += ids.length;
      }
      return { text: `the store opens; newest messages of ${counted(readCount, "server")} read` };
    } finally {
      await store.close();
    }
  }
}

const notRestored: Outcome = { status: "skipped", text: "nothing was restored" };

function isFaulty({ missingCount, differingCount, sampleDifferingCount }: ServerComparison): boolean {
  return missingCount + differingCount + sampleDifferingCount > 0;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function sum<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
