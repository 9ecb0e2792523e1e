import type { MemoryKind, MemoryObserver } from "../../core/memory-observer.ts";

/** Metrics of memory budgets. */
export interface MemoryMetrics {
  /** Adds a memory budget, whose bytes in use `read` returns. */
  readonly watchMemory: MemoryObserver["watch"];
  /** Sets the source of the number of mails that wait for memory; 0 until then. */
  readonly watchWaitingMails: (read: () => number) => void;
}

/** Gauge whose values are read when metrics are collected: one value for each `kind`, or one without label. */
export interface CollectedGauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | ReadonlyMap<string, number>;
}

/** Registers the gauges of memory budgets. */
export function memoryMetrics(register: (gauge: CollectedGauge) => void): MemoryMetrics {
  const budgets: { readonly kind: MemoryKind; readonly read: () => number }[] = [];
  let waitingMails = (): number => 0;
  register({
    name: "restante_bytes_in_flight",
    help: "Bytes held by memory budgets, by kind: mails of SMTP, reading and storing of mail, HTTP requests and responses",
    read: () => {
      const bytes = new Map<string, number>();
      for (const { kind, read } of budgets) bytes.set(kind, (bytes.get(kind) ?? 0) + read());
      return bytes;
    },
  });
  register({
    name: "restante_waiting_mails",
    help: "Large mails that wait for memory to be read",
    read: () => waitingMails(),
  });
  return {
    watchMemory: (kind, read) => void budgets.push({ kind, read }),
    watchWaitingMails: (read) => {
      waitingMails = read;
    },
  };
}
