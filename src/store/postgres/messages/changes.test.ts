import { expect, test } from "vitest";
import { JournalTrims } from "../../records/change-rows.ts";
import { postgresDialect } from "../connection/dialect.ts";

test("trims a journal again when its changes are processed while it is trimmed", () => {
  const trims = new JournalTrims(postgresDialect);
  trims.notice(1, { before: 11_000, after: 12_000 });
  const step = trims.trimSome();
  step.next();
  step.next([{ sequence: 0 }]);
  trims.notice(1, { before: 0, after: 11_000 });
  step.next([{ sequence: 1 }]);
  step.next([]);
  expect(trims.isOverlong).toBe(true);

  const next = trims.trimSome();
  next.next();
  next.next([{ sequence: 11_000 }]);
  expect(next.next([{ sequence: 1 }]).value).toMatchObject({ values: [1, 1000] });
  next.next([]);
  expect(trims.isOverlong).toBe(false);
});

test("trims a journal later when a statement fails", () => {
  const trims = new JournalTrims(postgresDialect);
  trims.notice(1, { before: 11_000, after: 12_000 });
  const step = trims.trimSome();
  step.next();
  expect(() => step.throw(new Error("connection lost"))).toThrow("connection lost");
  expect(trims.isOverlong).toBe(true);
});
