import { readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  aClaim,
  addTarget,
  aDelivery,
  anAttempt,
  anOutcome,
  aTarget,
  listDeliveries,
} from "../../conformance/callback-drafts.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, epochMs } from "../../conformance/drafts.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { openRecords, RecordReads, type RecordDependencies } from "../account/record-stores.ts";
import { readNumber } from "../connection/connection.ts";
import { Journal } from "../messages/changes.ts";
import { openSqliteStore } from "../open.ts";
import { queryRunner } from "../connection/dialect.ts";
import { migrate } from "../schema/schema.ts";

const openOwn = async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id: server } = await store.createServer(aServer());
  return { store, server, callbacks: store.callbacks, file: path.join(directory, databaseFileName) };
};

test("overwrites replaced and removed secrets and erased contents in the file", async () => {
  const { store, server, callbacks, file } = await openOwn();
  const secret = (name: string) => Buffer.from(`secret ${name} `.repeat(20));
  const target = aTarget(server, { sealedSecrets: secret("replaced") });
  const removed = aTarget(server, { sealedSecrets: secret("removed") });
  for (const one of [target, removed]) await callbacks.addTarget(one, { countMax: 9, isOnly: false });
  const delivery = aDelivery(server, { target: target.id, content: secret("content") });
  await callbacks.addDeliveries([delivery]);
  await callbacks.queue.claim(aClaim([target.id]));
  const requestHeaders = { authorization: secret("header").toString() };
  await callbacks.queue.record([anOutcome(delivery.id, { attempt: anAttempt({ requestHeaders }) })]);
  await callbacks.updateTarget(target.id, { sealedSecrets: secret("present") }, { now: epochMs });
  await callbacks.removeTarget(removed.id);
  await callbacks.eraseDelivery(delivery.id);
  await store.close();
  const bytes = await readFile(file, "latin1");
  expect(bytes).toContain("secret present");
  for (const name of ["replaced", "removed", "content", "header"]) expect(bytes).not.toContain(`secret ${name}`);
});

test("purges the deliveries of removed targets and deleted servers in the background", async () => {
  const { store, server, callbacks, file } = await openOwn();
  const other = await store.createServer(aServer());
  const [first, second, third] = [
    await addTarget(store, server),
    await addTarget(store, other.id),
    await addTarget(store, server),
  ];
  const owned = [first, second, third].flatMap(({ id, server: own }) =>
    Array.from({ length: 700 }, () => aDelivery(own, { target: id })),
  );
  await callbacks.addDeliveries([...owned, aDelivery(server), aDelivery(other.id)]);
  await callbacks.removeTarget(first.id);
  await store.deleteServer(other.id);
  using database = new DatabaseSync(file, { readOnly: true });
  await expect.poll(() => readNumber(database, "select count(*) from callback_delivery")).toBe(701);
  await expect.poll(() => readNumber(database, "select count(*) from callback_purge")).toBe(0);
  expect(readNumber(database, "select count(*) from callback_cursor")).toBe(1);
  expect(await listDeliveries(store, server)).toHaveLength(701);
  await store.close();
});

test("finds due deliveries on the reader thread, since each receiver is visited, and starts it only for some", async () => {
  const calls: unknown[] = [];
  const thread = {
    call: async (_name: string, [, method]: readonly unknown[]) => {
      calls.push(method);
      return null;
    },
  } as unknown as RecordDependencies["reader"] & RecordDependencies["writer"];
  using database = new DatabaseSync(":memory:");
  migrate(database);
  const records = new RecordReads(database);
  let isEmpty = true;
  // Other reads of a queue that is not empty fail: the socket thread must not visit its receivers.
  const read = <Result>(body: (reads: { readonly records: RecordReads }) => Result): Result => {
    return body({ records: isEmpty ? records : ({ run: () => false } as unknown as RecordReads) });
  };
  const local = { isOpen: true, requireOpen: () => undefined, read, reported: (error: unknown) => error };
  const readAccount = <Result>(body: (reads: { readonly records: RecordReads }) => Result): Result => body({ records });
  const { deliveryQueue: queue } = openRecords({ writer: thread, reader: thread, local: { ...local, readAccount } });
  const check = async (): Promise<readonly unknown[]> => [
    await queue.listDueKeys(epochMs, 10),
    await queue.nextDueAt(),
    await queue.countPending(),
  ];
  expect(await check()).toEqual([[], null, { count: 0, oldestDueAt: null }]);
  expect(calls).toEqual([]);
  isEmpty = false;
  await check();
  expect(calls).toEqual(["listDueKeys", "nextDueAt", "countPending"]);
});

test("keeps at most a million changes for a cursor that does not move", () => {
  using database = new DatabaseSync(":memory:");
  migrate(database);
  database.exec(`insert into server (number, id, name, name_folded, password, created_at, users, reader_deletion, retired, epoch, uid_validity)
      values (1, 'a', '', '', '', 0, '[]', 'delete', 0, 1, 1);
    insert into callback_cursor values ('a', 100);
    insert into change (server, sequence, kind, id) values (1, 99, 3, null), (1, 400000, 3, null), (1, 600000, 3, null)`);
  const journal = new Journal(database);
  const sequences = () => database.prepare("select sequence from change order by sequence").all();
  const truncate = (sequence: number): readonly unknown[] => {
    journal.notice(1, { before: 0, after: sequence });
    while (journal.isOverlong) queryRunner(database)(journal.trimSome());
    return sequences().map(({ sequence: left }) => left);
  };
  expect(truncate(900_000)).toEqual([400_000, 600_000]);
  expect(truncate(1_500_000)).toEqual([600_000]);
  database.exec("delete from callback_cursor");
  expect(truncate(1_500_000)).toEqual([]);
});
