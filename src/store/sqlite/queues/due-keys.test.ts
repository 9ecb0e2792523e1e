import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { migrate } from "../schema/schema.ts";
import { leasedTables } from "../../queues/leased-tables.ts";
import { QueueRows } from "../../queues/queue-rows.ts";
import { queryRunner } from "../connection/dialect.ts";
import { queueDialect } from "./due-work.ts";

interface Row {
  readonly queue: string;
  readonly dueAt: number | null;
}

function open(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  return database;
}

/** Replaces all deliveries and targets. */
function replaceRows(database: DatabaseSync, rows: readonly Row[], paused: readonly string[]): void {
  database.exec("delete from callback_delivery; delete from callback_target");
  const insertTarget = database.prepare(
    `insert into callback_target (id, server, kind, shape, settings, state, since_sequence, version, created_at)
     values (?, 'abcd1234', 'webhook', '', '{}', 'paused', 0, 1, 0)`,
  );
  const insert = database.prepare(
    `insert into callback_delivery (id, server, target, queue, delivers_message, is_message_stored, type, first_due_at,
       created_at, status, due_at, attempt_count, schedule_step, attempts)
     values (?, 'abcd1234', null, ?, 0, 0, '', 0, 0, '', ?, 0, 0, '')`,
  );
  for (const id of paused) insertTarget.run(id);
  for (const [number, { queue, dueAt }] of rows.entries()) insert.run(String(number), queue, dueAt);
}

const queue = fc.constantFrom("a", "b", "c", "d", "e");

test("finds the same queues in the order of time and by a visit of all", () => {
  const row = fc.record({ queue, dueAt: fc.option(fc.nat(20)) });
  const cases = {
    rows: fc.array(row, { maxLength: 20 }),
    paused: fc.uniqueArray(queue),
    now: fc.nat(20),
    limit: fc.integer({ min: 1, max: 6 }),
  };
  using database = open();
  fc.assert(
    fc.property(fc.record(cases), ({ rows, paused, now, limit }) => {
      replaceRows(database, rows, paused);
      const run = queryRunner(database);
      const [visiting, mixed, ordered] = [1, 4, 1000].map((countMax) => {
        const found = new QueueRows(leasedTables.deliveries, queueDialect, { countMax });
        return { due: run(found.listDueKeys(now, limit)), next: run(found.nextDueAt()) };
      });
      const due = ordered?.due;
      expect([visiting, mixed]).toEqual([ordered, ordered]);
      const active = rows.filter((one) => one.dueAt !== null && !paused.includes(one.queue));
      expect(ordered?.next).toBe(active.length === 0 ? null : Math.min(...active.map(({ dueAt }) => dueAt ?? 0)));
      const dueCount = new Set(active.filter(({ dueAt }) => (dueAt ?? 0) <= now).map((one) => one.queue)).size;
      expect(due).toHaveLength(Math.min(limit, dueCount));
    }),
    { numRuns: 60 },
  );
});

test("reads the pending deliveries in the order of time from an index alone", () => {
  using database = open();
  const plan = database
    .prepare(
      `explain query plan select queue, due_at from callback_delivery where due_at is not null and due_at <= 1
       order by due_at, queue limit 10`,
    )
    .all();
  expect(plan.map(({ detail }) => detail)).toEqual([
    "SEARCH callback_delivery USING COVERING INDEX callback_delivery_due_at (due_at>? AND due_at<?)",
  ]);
});
