import { EventEmitter } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { stopMsMax, stopSignal } from "./stop-signal.ts";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

let subject: FakeProcess;
let clock: FakeClock;
let reasons: unknown[];
let received: Promise<void>;

beforeEach(() => {
  subject = new FakeProcess();
  clock = new FakeClock();
  reasons = [];
  received = stopSignal({ warn: (fields) => reasons.push(fields["reason"]) }, { process: subject, clock });
});

describe.each(["SIGTERM", "SIGINT"])("%s", (signal) => {
  test("requests a graceful stop once", async () => {
    subject.emit(signal);
    await received;
    clock.advance(stopMsMax - 1);
    expect([subject.exits, reasons]).toEqual([[], []]);
  });

  test("exits the process at the second signal", () => {
    subject.emit("SIGTERM");
    subject.emit(signal);
    expect([subject.exits, reasons]).toEqual([[1], ["second signal"]]);
  });
});

test("exits the process when a graceful stop times out", () => {
  subject.emit("SIGTERM");
  clock.advance(stopMsMax);
  expect([subject.exits, reasons]).toEqual([[1], ["graceful stop timed out"]]);
});
