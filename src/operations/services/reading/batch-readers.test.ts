import { describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { defaultLimits } from "../../../core/limits.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { WorkerCall } from "../../../workers/answer-calls.ts";
import type { OpenWorker } from "../../../workers/worker-process.ts";
import { batchReaderCountFor, BatchReaders, type MailBatch, mailsOf } from "./batch-readers.ts";
import { createEmailReading } from "./email-reader.ts";
import { readCheapEmail, tryToReadCheapEmail } from "./read-email.ts";

const clock = new FakeClock();
const mail = (number: number): Buffer => Buffer.from(`Subject: ${String(number)}\r\n\r\nhello\r\n`);
const parsed = (number: number) => readCheapEmail(mail(number), defaultLimits);
const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Workers on this thread. They hold their answers while `isHeld`, and exit instead of answering while `exits`. */
function fakeWorkers() {
  const state = {
    startCount: 0,
    batches: [] as number[],
    isHeld: false,
    exits: false,
    release: () => undefined as void,
  };
  const openWorker: OpenWorker = (_, events) => {
    state.startCount += 1;
    queueMicrotask(() => events.message({ kind: "ready" }));
    return {
      post(message) {
        const { number, request } = message as WorkerCall<MailBatch>;
        const raws = mailsOf(request);
        state.batches.push(raws.length);
        if (state.exits) {
          queueMicrotask(() => events.exited(new Error("out of memory")));
          return;
        }
        const answer = raws.map((raw) => tryToReadCheapEmail(raw, defaultLimits));
        const send = (): void => events.message({ kind: "answered", number, isSpent: false, answer });
        if (state.isHeld) state.release = send;
        else queueMicrotask(send);
      },
      setBusy: () => undefined,
      terminate: async () => undefined,
    };
  };
  return { state, openWorker };
}

function open(readerCount: number) {
  const { state, openWorker } = fakeWorkers();
  const tasks = createBackgroundTasks(clock, () => undefined);
  return { state, readers: new BatchReaders({ limits: defaultLimits, clock, tasks, readerCount, openWorker }) };
}

describe("batchReaderCountFor", () => {
  test.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 2],
    [5, 2],

    [64, 2],
  ])("returns for %s cores %s", (coreCount, expected) => {
    expect(batchReaderCountFor(coreCount)).toBe(expected);
  });
});

describe("BatchReaders", () => {
  test("parse nothing before they have started, and then batches in order", async () => {
    const { state, readers } = open(2);
    expect(readers.read([mail(1), mail(2)])).toBeNull();
    expect(readers.read([mail(1), mail(2)])).toBeNull();
    await turn();
    expect(state.startCount).toBe(2);
    expect(await readers.read([mail(1), mail(2), mail(3)])).toEqual([parsed(1), parsed(2), parsed(3)]);
    await readers.close();
  });

  test("return null for a mail that is not cheap", async () => {
    const { readers } = open(1);
    expect(readers.read([])).toBeNull();
    await turn();
    const many = Buffer.from(`Subject: Many\r\n\r\n${"Number 48291375 x\r\n".repeat(1000)}`);
    expect(await readers.read([mail(1), many])).toEqual([parsed(1), null]);
    await readers.close();
  });

  test("take one batch more than there are processes, and no further one", async () => {
    const { state, readers } = open(1);
    expect(readers.read([])).toBeNull();
    await turn();
    state.isHeld = true;
    const first = readers.read([mail(1)]);
    await turn();
    const second = readers.read([mail(2)]);
    expect(readers.read([mail(3)])).toBeNull();
    state.isHeld = false;
    state.release();
    expect(await Promise.all([first, second])).toEqual([[parsed(1)], [parsed(2)]]);
    expect(await readers.read([mail(3)])).toEqual([parsed(3)]);
    await readers.close();
  });

  test("start again before they get a batch after they were idle", async () => {
    const { state, readers } = open(1);
    expect(readers.read([])).toBeNull();
    await turn();
    clock.advance(50_001);
    expect(readers.read([mail(1)])).toBeNull();
    await turn();
    expect(await readers.read([mail(1)])).toEqual([parsed(1)]);
    expect(state.batches).toEqual([0, 0, 1]);
    await readers.close();
  });

  test("start again after one has exited, whose batch is rejected", async () => {
    const { state, readers } = open(1);
    expect(readers.read([])).toBeNull();
    await turn();
    state.exits = true;
    await expect(readers.read([mail(1)])).rejects.toThrow("out of memory");
    state.exits = false;
    expect(readers.read([mail(1)])).toBeNull();
    await turn();
    expect(await readers.read([mail(1)])).toEqual([parsed(1)]);
    await readers.close();
  });
});

describe("reading mails that arrive together", () => {
  function openReading() {
    const { state, openWorker } = fakeWorkers();
    const tasks = createBackgroundTasks(clock, () => undefined);
    const reading = createEmailReading({ limits: defaultLimits, clock, tasks, batchReaderCount: 1, openWorker });
    const read = async (...numbers: number[]) => Promise.all(numbers.map(async (number) => reading.read(mail(number))));
    return { state, reading, read };
  }

  test("uses the readers for batches, and this thread for single mails", async () => {
    const { state, reading, read } = openReading();
    expect(await read(1, 2)).toEqual([parsed(1), parsed(2)]);
    await turn();
    expect(await read(3)).toEqual([parsed(3)]);
    expect(state.batches).toEqual([0]);
    expect(await read(4, 5, 6)).toEqual([parsed(4), parsed(5), parsed(6)]);
    expect(state.batches).toEqual([0, 3]);
    await reading.close();
  });

  test("parses a batch on this thread when its reader exits", async () => {
    const { state, reading, read } = openReading();
    await read(1, 2);
    await turn();
    state.exits = true;
    expect(await read(4, 5)).toEqual([parsed(4), parsed(5)]);
    expect(state.batches).toEqual([0, 2]);
    await reading.close();
  });
});
