import { beforeEach, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import type { FaultOccurrence, FaultStage } from "../../../core/fault.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { Database } from "../connection/database.ts";
import { recordRows } from "../account/records.ts";
import { FaultLists } from "../../records/rule-stores.ts";
import { cacheRowsOf } from "./versioned-rows.ts";

/** Database with the list of the service, which rules at RCPT; it answers when a test settles its queries. */
class PendingDatabase {
  readonly queries: ((error?: Error) => void)[] = [];

  get database(): Database {
    const query = async (): Promise<readonly unknown[]> =>
      new Promise((resolve, reject) => {
        this.queries.push((error) => {
          if (error !== undefined) reject(error);
          else resolve([{ server: "", version: 1, keys: '[{"stages":",rcpt,","clientAddress":null}]' }]);
        });
      });
    return { query } as unknown as Database;
  }

  async settle(error?: Error): Promise<void> {
    for (const settle of this.queries.splice(0)) settle(error);
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

let clock: FakeClock;
let pending: PendingDatabase;
let lists: FaultLists;
beforeEach(() => {
  clock = new FakeClock();
  pending = new PendingDatabase();
  lists = new FaultLists(recordRows.faults, cacheRowsOf(pending.database, clock));
});

function occurrence(stage: FaultStage): FaultOccurrence {
  return { stage, clientAddress: "::1", server: null, sender: "", recipients: [], provider: null, userName: null };
}

async function readOnce(): Promise<void> {
  const first = lists.mayApply(occurrence("rcpt"));
  await pending.settle();
  expect(await first).toBe(true);
}

test("answers at once while the lists are new, and reads them in advance", async () => {
  await readOnce();
  expect(lists.mayApply(occurrence("rcpt"))).toBe(true);
  expect(lists.mayApply(occurrence("mail"))).toBe(false);
  expect(pending.queries).toHaveLength(0);
  clock.advance(150);
  expect(lists.mayApply(occurrence("mail"))).toBe(false);
  expect(pending.queries).toHaveLength(1);
});

test("waits for a reading that began late enough to contain every change reported before the call", async () => {
  await readOnce();
  clock.advance(200);
  void lists.mayApply(occurrence("mail"));
  clock.advance(300);
  const late = Promise.resolve(lists.mayApply(occurrence("mail"))).then(() => "done");
  await pending.settle();
  expect(await Promise.race([late, Promise.resolve("waiting")])).toBe("waiting");
  expect(pending.queries).toHaveLength(1);
  await pending.settle();
  expect(await late).toBe("done");
});

test("decides by the last known lists without a wait while the database is unavailable", async () => {
  await readOnce();
  clock.advance(200);
  const first = lists.mayApply(occurrence("mail"));
  await pending.settle(new Problem("unavailable"));
  expect(await first).toBe(false);
  for (const at of [1, 2]) {
    clock.advance(1000 * at);
    expect(lists.mayApply(occurrence("mail"))).toBe(false);
    await expect(lists.mayApply(occurrence("rcpt"))).rejects.toMatchObject({ code: "unavailable" });
    expect(pending.queries).toHaveLength(1);
    await pending.settle(new Problem("unavailable"));
  }
  void lists.mayApply(occurrence("mail"));
  await pending.settle();
  expect(lists.mayApply(occurrence("rcpt"))).toBe(true);
});

test("waits a second at most when the database does not answer", async () => {
  await readOnce();
  clock.advance(200);
  const [mail, rcpt] = [lists.mayApply(occurrence("mail")), lists.mayApply(occurrence("rcpt"))];
  clock.advance(1000);
  expect(await mail).toBe(false);
  await expect(rcpt).rejects.toMatchObject({ code: "unavailable" });
  expect(lists.mayApply(occurrence("mail"))).toBe(false);
  await pending.settle();
  const last = lists.mayApply(occurrence("rcpt"));
  await pending.settle();
  expect(await last).toBe(true);
});
