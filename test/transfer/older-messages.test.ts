/** Search fields of messages that an older version stored, over both stores. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { encodeMessageId, type MessageId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { fillSearchFields } from "../../src/operations/inbound/fill-search-fields.ts";
import { recordEmail } from "../../src/operations/services/reading/email-record.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import type { Store } from "../../src/store/store.ts";
import { epochMs } from "./content.ts";
import { anSqliteStore, aPostgresStore } from "./stores.ts";

const server = "abcd1234" as ServerId;
const mailCount = 30;

interface OldStore extends AsyncDisposable {
  readonly store: Store;
  /** Removes the fields, as a migration leaves the messages of an older version. */
  readonly age: () => Promise<void>;
}

const onSqlite = async (): Promise<OldStore> => {
  const opened = await anSqliteStore();
  const age = async (): Promise<void> => {
    using database = new DatabaseSync(join(opened.directory, "restante.db"));
    database.exec("update subject set fields = null, size = null");
    await Promise.resolve();
  };
  return { ...opened, age };
};
const onPostgres = async (): Promise<OldStore> => {
  const opened = await aPostgresStore();
  const age = async (): Promise<void> => {
    const database = openDatabase(opened.url);
    await database.query("update message set fields = null, size = null");
    await database.close();
  };
  return { ...opened, age };
};

/** Stores mails with a file each; returns their ids. */
async function addMails(store: Store): Promise<readonly MessageId[]> {
  await store.createServer({ id: server, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  const ids: MessageId[] = [];
  for (let at = 0; at < mailCount; at += 1) {
    const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + at, random: 0 });
    const disposition = `${at % 2 === 0 ? "attachment" : "inline"}; filename="report-${at}.pdf"`;
    const raw = Buffer.from(
      `From: a@x.test\r\nReply-To: help-${at}@x.test\r\nContent-Type: application/pdf\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n`,
    );
    const mail = { raw, envelope: { mailFrom: null, rcptTo: ["b@x.test"] }, session: null };
    await store.addMessages([recordEmail(id, mail, readEmail(raw, defaultLimits))]);
    ids.push(id);
  }
  return ids;
}

async function named(store: Store, part: "attachment" | "inline" | "replyTo", term: string): Promise<number> {
  const page = { page: 0, itemsPerPage: 100, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  return (await store.findExpression(server, { kind: "part", part, term }, page)).identities.length;
}

test.each([
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
])("fills in the fields of older messages in %s, and passes over one that cannot be read", async (_, open) => {
  await using old = await open();
  const { store } = old;
  const ids = await addMails(store);
  await old.age();
  expect([await named(store, "attachment", "report-"), await named(store, "replyTo", "help-3@")]).toEqual([0, 0]);
  expect(await store.searchFields.countWithoutFields(server)).toBe(mailCount);
  const damaged = await store.getRaw(ids[7] as MessageId);
  const failing = {
    store,
    readEmail: (raw: Uint8Array) => {
      if (Buffer.compare(raw, damaged ?? new Uint8Array()) === 0) throw new Error("damaged");
      return readEmail(raw, defaultLimits);
    },
  };
  const first = await fillSearchFields(failing, null);
  expect(first).toMatchObject({ after: ids[19], count: 19, error: { message: "damaged" } });
  const second = await fillSearchFields(failing, first.after);
  expect(second).toMatchObject({ after: ids[29], count: 10, error: null });
  expect(await fillSearchFields(failing, second.after)).toEqual({ after: null, count: 0, error: null });
  expect(await store.searchFields.listWithoutFields(null, 10)).toEqual([ids[7]]);
  expect(await named(store, "inline", "report-")).toBe(14);
  const whole = { store, readEmail: (raw: Uint8Array) => readEmail(raw, defaultLimits) };
  expect(await fillSearchFields(whole, null)).toMatchObject({ count: 1, error: null });
  expect([await named(store, "attachment", "report-"), await named(store, "inline", "report-")]).toEqual([15, 15]);
  expect(await named(store, "replyTo", "help-3@")).toBe(1);
  expect(await store.searchFields.countWithoutFields(null)).toBe(0);
});
