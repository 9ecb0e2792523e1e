/** Steps of `restante drill` for data folders and databases. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import type { ServerComparison } from "../../store/server-comparison.ts";
import { freeBytesOf, reserveBytesMax } from "../../store/sqlite/maintenance/storage-guard.ts";
import type { Store } from "../../store/store.ts";
import { plainMessage } from "../plain-message.ts";
import { listIds, type SharedReport } from "./check.ts";
import { megabytes, whole } from "./progress-bar.ts";
import { counted } from "./transfer-stores.ts";

/** Parameters of every drill. */
export interface DrillOptions {
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
  /** Data folder, or database without its password, that was backed up. */
  readonly source: string;
  /** Path of the given backup, or database that was restored before; null when a backup was made. */
  readonly backup: string | null;
  readonly steps: readonly DrillStep[];
  readonly servers: readonly (ServerComparison & { readonly isFaulty: boolean })[];
  /** Data that was not compared, and files that the backup lacks. */
  readonly notes: readonly string[];
}

/** Backup, and the copy that is restored from it. Faults of the backup are outcomes or rejections of its functions. */
export interface DrillSubject {
  readonly source: string;
  readonly backup: string | null;
  /** Makes a backup; null where there is one. */
  readonly backUp: (() => Promise<string>) | null;
  /** Restores it; null where it has been restored. */
  readonly restore: (() => Promise<string>) | null;
  readonly check: () => Promise<SharedReport>;
  /** Resolves with a reason when there is nothing to compare with. */
  readonly compare: () => Promise<readonly ServerComparison[] | string>;
  /** Opens the copy as a service does, without anything that sends. */
  readonly open: () => Promise<Store>;
  /** Notes of the steps so far. */
  readonly notes: readonly string[];
}

/** Result of the body of a step. */
interface Outcome {
  readonly text: string;
  readonly status?: "failed" | "skipped";
}

/** Lines of findings that a report contains. */
const findingCountMax = 10;

/** Returns the free bytes of the disk of a folder, null when they are not known. */
export function freeBytesOfDisk(folder: string): number | null {
  return freeBytesOf(statfsSync(folder));
}

/** Throws a plain `Error` for the operator when the folder for temporary files has no space for copies of this size. */
export function requireSpace(sizeBytes: number, freeBytesIn: NonNullable<DrillOptions["freeBytesIn"]>): void {
  const neededBytes = sizeBytes + 2 * reserveBytesMax;
  const freeBytes = freeBytesIn(tmpdir());
  if (freeBytes === null || freeBytes >= neededBytes) return;
  throw new Error(
    `The drill needs ${megabytes(neededBytes)} in ${tmpdir()}, which has ${megabytes(freeBytes)}: set TMPDIR to a folder on a disk with more space`,
  );
}

/** Returns a note about secrets of the settings, which no backup contains; none without any. */
export function secretNotes({ secretNames }: Pick<DrillOptions, "secretNames">): readonly string[] {
  if (secretNames.length === 0) return [];
  return [`${secretNames.join(" and ")}: set in the environment, in no backup; keep a copy of your own`];
}

/** Runs the steps and returns their report. Rejects with the reason of the signal when it is interrupted. */
export async function runSteps(subject: DrillSubject, options: DrillOptions): Promise<DrillReport> {
  return await new Drill(subject, options).run();
}

class Drill {
  readonly #subject: DrillSubject;
  readonly #options: DrillOptions;
  readonly #steps: DrillStep[] = [];
  readonly #notes: string[] = [];
  #servers: DrillReport["servers"] = [];

  constructor(subject: DrillSubject, options: DrillOptions) {
    this.#subject = subject;
    this.#options = options;
  }

  async run(): Promise<DrillReport> {
    const { source, backup, backUp, restore, notes } = this.#subject;
    const startedAt = new Date(this.#options.clock.now()).toISOString();
    const isRestored = (await this.#prepare("backup", backUp)) && (await this.#prepare("restore", restore));
    const later = [
      ["check", () => this.#check()],
      ["compare", () => this.#compare()],
      ["open", async () => this.#open()],
    ] as const;
    for (const [step, body] of later) await this.#step(step, isRestored ? body : () => notRestored);
    const passed = this.#steps.every(({ status }) => status !== "failed");
    const all = [...notes, ...this.#notes];
    return { passed, startedAt, source, backup, steps: this.#steps, servers: this.#servers, notes: all };
  }

  /** Runs a step that later ones depend on, if there is one; returns whether it did not fail. */
  async #prepare(step: DrillStep["step"], body: (() => Promise<string>) | null): Promise<boolean> {
    return body === null || (await this.#step(step, async () => ({ text: await body() })));
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
    interrupted.throwIfAborted();
    const seconds = Math.round((clock.monotonicMs() - startMs) / 100) / 10;
    const { status = "ok", text } = outcome;
    this.#steps.push({ step, status, seconds, text });
    return status === "ok";
  }

  async #check(): Promise<Outcome> {
    const { messageCount, findings } = await this.#subject.check();
    const text = `${counted(messageCount, "message")} checked, ${counted(findings.length, "problem")} found`;
    if (findings.length === 0) return { text };
    return { status: "failed", text: [text, ...findings.slice(0, findingCountMax)].join("; ") };
  }

  async #compare(): Promise<Outcome> {
    const servers = await this.#subject.compare();
    if (typeof servers === "string") return { status: "skipped", text: servers };
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
        `the contents of ${whole(commonCount - sampledCount)} older messages were checked by their checksums, and not compared with the source`,
      );
    }
    this.#notes.push(
      "keys, users, marks, callbacks and other records were restored, and their rows not compared with the source",
    );
  }

  /** Reads the newest message of each server. */
  async #open(): Promise<Outcome> {
    const store = await this.#subject.open();
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

function sum<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
