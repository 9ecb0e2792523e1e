/**
 * Worker that serves the calls of a real worker module, and requests for a misbehaviour. The settings are those of the
 * module, with its URL as `module`.
 */
import { type WorkerCall, readWorkerSettings } from "./answer-calls.ts";

/** Request for a misbehaviour. */
export interface Misbehaviour {
  readonly misbehaviour: "heap" | "array" | "buffers" | "endless" | "abort" | "segfault" | "exit";
}

const misbehaviours: Readonly<Record<Misbehaviour["misbehaviour"], () => unknown>> = {
  /** Exhausts the heap in small pieces. */
  heap: () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
  },
  /** Exhausts the heap with one array, for which V8 ends the process at once. */
  array: () => "x".repeat(2 ** 28).split(""),
  /** Exhausts memory outside of the heap. */
  buffers: () => {
    const kept: Uint8Array[] = [];
    for (;;) kept.push(new Uint8Array(2 ** 24).fill(1));
  },
  endless: () => {
    for (;;);
  },
  abort: () => {
    process.abort();
  },
  segfault: () => {
    process.kill(process.pid, "SIGSEGV");
    for (;;);
  },
  exit: () => process.exit(0),
};

process.on("message", ({ request }: WorkerCall<Partial<Misbehaviour>>) => {
  if (request.misbehaviour !== undefined) misbehaviours[request.misbehaviour]();
});
await import((readWorkerSettings() as { readonly module: string }).module);
