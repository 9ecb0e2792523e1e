import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { workerUrl } from "../core/worker-url.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { Inspection, InspectionResults } from "./inspection.ts";

/** Longest time that looking into one mail may take before it is given up. */
const inspectMsMax = 20_000;

/** What the inspecting thread is asked and answers; `number` pairs the two. */
export interface InspectionRequest {
  readonly number: number;
  readonly raw: Uint8Array;
  readonly inspection: Inspection;
}

/** The answer to an {@link InspectionRequest}. */
export interface InspectionAnswer {
  readonly number: number;
  readonly result: InspectionResults[Inspection["kind"]];
}

/** Looks into mails, away from the thread that holds the sockets. */
export interface Inspector {
  /** Rejects with `unavailable` when it takes longer than 20 s or fails: the mail may be made to cost too much. */
  inspect<Kind extends Inspection["kind"]>(
    raw: Uint8Array,
    inspection: Extract<Inspection, { kind: Kind }>,
  ): Promise<InspectionResults[Kind]>;
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (result: InspectionResults[Inspection["kind"]]) => void;
  readonly reject: (problem: Problem) => void;
  readonly cancelAlarm: () => void;
}

/** An inspector whose thread starts with the first mail, and anew after one that was too much for it. */
export function createInspector(limits: MimeLimits, clock: Pick<Clock, "after">): Inspector {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let nextNumber = 0;

  const giveUp = (failed: Worker, cause?: unknown): void => {
    if (worker !== failed) return;
    worker = null;
    void failed.terminate();
    const lost = [...pending.values()];
    pending.clear();
    for (const { reject, cancelAlarm } of lost) {
      cancelAlarm();
      reject(new Problem("unavailable", { text: "Looking into this message failed or took too long", cause }));
    }
  };
  const start = (): Worker => {
    const started = new Worker(workerUrl(import.meta.url, "inspection-worker"), { workerData: limits });
    started.on("message", ({ number, result }: InspectionAnswer) => {
      const waiting = pending.get(number);
      pending.delete(number);
      waiting?.cancelAlarm();
      waiting?.resolve(result);
    });
    started.on("error", (error) => {
      giveUp(started, error);
    });
    started.unref();
    return started;
  };
  return {
    inspect: (raw, inspection) =>
      new Promise((resolve, reject) => {
        const inspecting = (worker ??= start());
        const number = nextNumber++;
        const cancelAlarm = clock.after(inspectMsMax, () => {
          giveUp(inspecting);
        });
        pending.set(number, { resolve: resolve as Pending["resolve"], reject, cancelAlarm });
        inspecting.postMessage({ number, raw, inspection } satisfies InspectionRequest);
      }),
    async close() {
      const last = worker;
      if (last !== null) giveUp(last);
      await last?.terminate();
    },
  };
}
