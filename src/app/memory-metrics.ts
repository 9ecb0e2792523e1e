import { Gauge, type Registry } from "prom-client";
import type { MemoryKind, MemoryObserver } from "../core/memory-observer.ts";

/** Metrics of memory budgets. */
export interface MemoryMetrics {
  /** Adds a memory budget, whose bytes in use `read` returns. */
  readonly watchMemory: MemoryObserver["watch"];
  /** Sets the source of the number of mails that wait for memory; 0 until then. */
  readonly watchWaitingMails: (read: () => number) => void;
}

/** Registers the gauges of memory budgets. */
export function memoryMetrics(registry: Registry): MemoryMetrics {
  const budgets: { readonly kind: MemoryKind; readonly read: () => number }[] = [];
  let waitingMails = (): number => 0;
  const bytes: Gauge = new Gauge({
    name: "restante_bytes_in_flight",
    help: "Bytes held by memory budgets, by kind: mails of SMTP, reading and storing of mail, HTTP requests and responses",
    labelNames: ["kind"],
    registers: [registry],
    collect: () => {
      bytes.reset();
      for (const { kind, read } of budgets) bytes.inc({ kind }, read());
    },
  });
  const waiting: Gauge = new Gauge({
    name: "restante_waiting_mails",
    help: "Large mails that wait for memory to be read",
    registers: [registry],
    collect: () => {
      waiting.set(waitingMails());
    },
  });
  return {
    watchMemory: (kind, read) => void budgets.push({ kind, read }),
    watchWaitingMails: (read) => {
      waitingMails = read;
    },
  };
}
