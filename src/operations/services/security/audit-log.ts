/** Audit log. Outputs that fail buffer entries and retry; no request fails because of them. */
import { randomBytes } from "node:crypto";
import {
  createAuditIds,
  type AuditActor,
  type AuditCategory,
  type AuditEntry,
  type AuditedAction,
} from "../../../core/audit-entry.ts";
import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AuditStore } from "../../../store/account-store.ts";

/** Stored entries of each category. */
export const auditEntryCountMax = 100_000;
/** Entries that a node adds before it trims the store again. */
const trimmedEvery = 1000;
/** Buffered entries of a failing output; beyond it the oldest are dropped, which is reported. */
const waitingCountMax = 10_000;
/** Pause in milliseconds before a failed output is retried without a new entry. */
const retryMs = 5000;

/** Audit log of a node. */
export interface AuditLog {
  /** Records an action. Resolves when every output has written it or has failed, which is reported; never rejects. */
  record(actor: AuditActor, act: AuditedAction): Promise<void>;
  /** Records entries of CLI commands; resolves as {@link AuditLog.record} does. */
  adopt(entries: readonly AuditEntry[]): Promise<void>;
  /** Retries to write buffered entries once. */
  close(): Promise<void>;
}

/** Options for {@link createAuditLog}. */
export interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly tasks: BackgroundTasks;
  /** Writes entries to a second output, in order. */
  readonly write?: (entries: readonly AuditEntry[]) => Promise<void>;
}

/** Creates the audit log over the store and an optional second output. Reports as the task `audit_log`. */
export function createAuditLog({ store, clock, tasks, write }: AuditLogOptions): AuditLog {
  const outlets: Outlet[] = [];
  const backlog = (): number => Math.max(0, ...outlets.map((outlet) => outlet.waitingCount));
  const task = tasks.register("audit_log", { backlog });
  const report: Report = {
    failed: (error, retryInMs) => task.failed(error, retryInMs),
    succeeded: () => {
      if (!outlets.some(({ isFailing }) => isFailing)) task.succeeded();
    },
  };
  for (const target of [trimming(store), write]) {
    if (target !== undefined) outlets.push(new Outlet(target, clock, report));
  }
  const idFor = createAuditIds(() => randomBytes(4).toString("hex"));
  const adopt = async (entries: readonly AuditEntry[]): Promise<void> => {
    await Promise.all(outlets.map((outlet) => outlet.add(entries)));
  };
  return {
    adopt,
    record: async (actor, act) => {
      const at = clock.now();
      await adopt([{ id: idFor(at), at, ...actor, ...act }]);
    },
    close: async () => {
      await Promise.all(outlets.map((outlet) => outlet.close()));
      task.end();
    },
  };
}

/** Appends to the store and trims it. */
function trimming(store: AuditStore): (entries: readonly AuditEntry[]) => Promise<void> {
  const categories: readonly AuditCategory[] = ["account", "messages"];
  let untrimmed = trimmedEvery;
  return async (entries) => {
    await store.appendAudit(entries);
    untrimmed += entries.length;
    if (untrimmed < trimmedEvery) return;
    for (const category of categories) await store.trimAudit(category, auditEntryCountMax);
    untrimmed = 0;
  };
}

type Report = Pick<BackgroundTask, "succeeded" | "failed">;

/** Buffered output that writes entries in order, one batch at a time. */
class Outlet {
  readonly #write: (entries: readonly AuditEntry[]) => Promise<void>;
  readonly #clock: Pick<Clock, "after">;
  readonly #report: Report;
  isFailing = false;
  #waiting: AuditEntry[] = [];
  #running: Promise<void> = Promise.resolve();
  #endRetry: (() => void) | null = null;

  constructor(write: (entries: readonly AuditEntry[]) => Promise<void>, clock: Pick<Clock, "after">, report: Report) {
    this.#write = write;
    this.#clock = clock;
    this.#report = report;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  async add(entries: readonly AuditEntry[]): Promise<void> {
    this.#waiting.push(...entries);
    const lost = this.#waiting.length - waitingCountMax;
    if (lost > 0) {
      this.#waiting.splice(0, lost);
      this.#report.failed(new Error(`${String(lost)} entries of the audit log were lost`));
    }
    await this.#next();
  }

  async close(): Promise<void> {
    await this.#next();
    this.#endRetry?.();
  }

  /** Writes buffered entries after the current write. */
  async #next(): Promise<void> {
    this.#running = this.#running.then(async () => this.#flush());
    await this.#running;
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    this.#endRetry?.();
    this.#endRetry = null;
    try {
      await this.#write(batch);
      this.isFailing = false;
      this.#report.succeeded();
    } catch (error) {
      this.#waiting = [...batch, ...this.#waiting];
      this.isFailing = true;
      this.#report.failed(error, retryMs);
      this.#endRetry = this.#clock.after(retryMs, () => void this.#next());
    }
  }
}
