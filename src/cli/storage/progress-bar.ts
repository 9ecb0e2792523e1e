import type { Clock } from "../../core/clock.ts";
import type { Progress } from "../../transfer/progress.ts";
import type { Terminal } from "../command.ts";

/** Interval between updates of the bar, and between lines when standard error is not a terminal. */
const drawMs = 100;
const lineMs = 10_000;
const barWidth = 24;

/** Transferred messages and bytes, and elapsed time. */
export interface Pace {
  readonly messages: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Progress of a transfer on standard error: a bar on a terminal, else a line every ten seconds, or nothing when quiet. */
export class ProgressBar implements Progress {
  readonly #terminal: Pick<Terminal, "error" | "errorColumns">;
  readonly #clock: Pick<Clock, "now">;
  readonly #isQuiet: boolean;
  readonly #startedAt: number;
  #total = 0;
  #done = 0;
  #doneAtStart = 0;
  #messages = 0;
  #bytes = 0;
  #shownAt: number;

  constructor(terminal: Pick<Terminal, "error" | "errorColumns" | "clock">, isQuiet: boolean) {
    this.#terminal = terminal;
    this.#clock = terminal.clock;
    this.#isQuiet = isQuiet;
    this.#startedAt = this.#clock.now();
    this.#shownAt = this.#startedAt;
  }

  expect(total: number): void {
    this.#total = total;
  }

  advance({ done = 0, messages = 0, bytes = 0 }: Parameters<Progress["advance"]>[0]): void {
    // Work of a previous attempt does not count for the rate of this one.
    if (this.#messages + messages === 0) this.#doneAtStart += done;
    this.#done += done;
    this.#messages += messages;
    this.#bytes += bytes;
    const pauseMs = this.#terminal.errorColumns === undefined ? lineMs : drawMs;
    if (!this.#isQuiet && this.#clock.now() - this.#shownAt >= pauseMs) this.#show();
  }

  /** Removes the bar and returns the totals. */
  end(): Pace {
    if (!this.#isQuiet && this.#terminal.errorColumns !== undefined) this.#terminal.error("\r\u001b[K");
    return this.#pace();
  }

  #pace(): Pace {
    const seconds = Math.max(0.001, (this.#clock.now() - this.#startedAt) / 1000);
    return { messages: this.#messages, bytes: this.#bytes, seconds };
  }

  #show(): void {
    this.#shownAt = this.#clock.now();
    const pace = this.#pace();
    const counts = `${whole(pace.messages)} messages, ${megabytes(pace.bytes)}, ${whole(pace.messages / pace.seconds)} a second`;
    const share = this.#total === 0 ? null : Math.min(1, this.#done / this.#total);
    const parts = share === null ? [counts] : [`${Math.floor(share * 100)} %`, counts, this.#left(pace.seconds)];
    const { errorColumns } = this.#terminal;
    if (errorColumns === undefined) {
      this.#terminal.error(`${parts.filter((part) => part !== "").join(", ")}\n`);
      return;
    }
    const bar = share === null ? [] : [barOf(share)];
    const line = [...bar, ...parts].filter((part) => part !== "").join("  ");
    this.#terminal.error(`\r${line.slice(0, Math.max(0, errorColumns - 1))}\u001b[K`);
  }

  #left(seconds: number): string {
    const here = this.#done - this.#doneAtStart;
    if (here <= 0) return "";
    const left = Math.ceil(((this.#total - this.#done) / here) * seconds);
    return left < 1 ? "" : `${left < 120 ? `${left} s` : `${whole(left / 60)} min`} left`;
  }
}

function barOf(share: number): string {
  const full = Math.round(share * barWidth);
  return `[${"#".repeat(full)}${".".repeat(barWidth - full)}]`;
}

/** Formats an integer with thousands separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Formats bytes as megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
