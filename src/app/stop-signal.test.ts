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
  received = stopSignal({ warn: (fields) => reasons.push(fields["why"]) }, { process: subject, clock });
});

describe.each(["SIGTERM", "SIGINT"])("%s", (signal) => {
  test("asks for an orderly end, once", async () => {
    subject.emit(signal);
    await received;
    clock.advance(stopMsMax - 1);
    expect([subject.exits, reasons]).toEqual([[], []]);
  });

  test("a second time ends the process by force", () => {
    subject.emit("SIGTERM");
    subject.emit(signal);
    expect([subject.exits, reasons]).toEqual([[1], ["a second signal"]]);
  });
});

test("an end that takes too long is made by force", () => {
  subject.emit("SIGTERM");
  clock.advance(stopMsMax);
  expect([subject.exits, reasons]).toEqual([[1], ["the orderly end took too long"]]);
});
