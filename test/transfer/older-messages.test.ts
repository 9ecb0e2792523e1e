/** Search fields of messages that an older version stored, over both stores. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { encodeMessageId, type MessageId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import type { SearchExpression } from "../../src/core/search/search-expression.ts";
import type { SearchPart } from "../../src/core/search/search-fields.ts";
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
  /** Removes the fields, as a migration leaves the messages of an older version; or only the codes and what follows them. */
  readonly age: (removed?: "fields" | "codes") => Promise<void>;
}

const onSqlite = async (): Promise<OldStore> => {
  const opened = await anSqliteStore();
  const age = async (removed = "fields"): Promise<void> => {
    using database = new DatabaseSync(join(opened.directory, "restante.db"));
    const codes = "fields = substr(fields, 1, length(fields) - 3 - length(char(10) || '804219' || char(10)))";
    database.exec(`update subject set ${removed === "codes" ? codes : "fields = null, size = null"}`);
    await Promise.resolve();
  };
  return { ...opened, age };
};
const onPostgres = async (): Promise<OldStore> => {
  const opened = await aPostgresStore();
  const age = async (removed = "fields"): Promise<void> => {
    const database = openDatabase(opened.url);
    const codes = "fields = left(fields, -3 - length(chr(10) || '804219' || chr(10)))";
    await database.query(`update message set ${removed === "codes" ? codes : "fields = null, size = null"}`);
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

async function found(store: Store, expression: SearchExpression): Promise<number> {
  const page = { page: 0, itemsPerPage: 100, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  return (await store.findExpression(server, expression, page)).identities.length;
}

async function named(store: Store, part: SearchPart, term: string): Promise<number> {
  return await found(store, { kind: "part", part, term });
}

const stores = [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const;

test.each(stores)("finds the codes of messages whose fields an older version stored in %s", async (_, open) => {
  await using old = await open();
  const { store } = old;
  await store.createServer({ id: server, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs, random: 0 });
  const raw = Buffer.from("From: a@x.test\r\nReply-To: help@x.test\r\n\r\nYour code is 804 219\r\n");
  const mail = { raw, envelope: { mailFrom: null, rcptTo: ["b@x.test"] }, session: null };
  await store.addMessages([recordEmail(id, mail, readEmail(raw, defaultLimits))]);
  const codes = async (): Promise<number> => await found(store, { kind: "present", part: "code" });
  expect([await named(store, "code", "804"), await store.searchFields.countWithoutFields(null)]).toEqual([1, 0]);
  await old.age("codes");
  expect([await codes(), await named(store, "replyTo", "help@")]).toEqual([0, 1]);
  expect(await store.searchFields.countWithoutFields(server)).toBe(1);
  const context = { store, readEmail: (bytes: Uint8Array) => readEmail(bytes, defaultLimits) };
  expect(await fillSearchFields(context, null)).toEqual({ after: id, count: 1, error: null });
  expect([await codes(), await named(store, "code", "804219"), await named(store, "replyTo", "help@")]).toEqual([
    1, 1, 1,
  ]);
  expect(await store.searchFields.countWithoutFields(null)).toBe(0);
});

test.each(stores)(
  "fills in the fields of older messages in %s, and passes over one that cannot be read",
  async (_, open) => {
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
  },
);
