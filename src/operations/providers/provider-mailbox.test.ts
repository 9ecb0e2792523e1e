import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { KeyScope } from "../../core/api-key.ts";
import { attachmentIdAt, type MessageId, type ServerId } from "../../core/ids.ts";
import { and, type SearchExpression } from "../../core/search/search-expression.ts";
import type { MailboxChange, ProviderMailbox } from "../../providers/mailbox.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { openProviderSession } from "./provider-session.ts";

let api: HttpTestServer;
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  other = await api.addServer();
});
beforeEach(async () => {
  // The first server is the catch-all.
  api.clock.advance(1);
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

interface Opening {
  readonly key?: ServerId | null;
  readonly user?: string | null;
  readonly isKnown?: boolean;
  readonly scope?: KeyScope;
}

async function open({
  key = null,
  user = `ada@${server.id}.restante.test`,
  ...rest
}: Opening = {}): Promise<ProviderMailbox> {
  const { isKnown = true, scope = "full" } = rest;
  const caller = { principal: { keyId: "k", server: key, scope }, provider: "acme", isKnown };
  return openProviderSession(api.context, caller).openMailbox(user);
}

const rawOf = (subject: string): Uint8Array => Buffer.from(`From: a@b.example\r\nSubject: ${subject}\r\n\r\nHello\r\n`);

async function place(subject: string, direction: "Received" | "Sent" = "Received"): Promise<MessageId> {
  api.clock.advance(1);
  const marks = { flags: [], tags: [] };
  return (await open()).place({ raw: rawOf(subject), direction, marks, providerIdOf: (id) => `acme-${id}` });
}

/** Stores a mail that did not come through the provider. */
async function deliver(subject: string): Promise<MessageId> {
  api.clock.advance(1);
  return await api.deliver(server, { raw: Buffer.from(rawOf(subject)) });
}

const all: SearchExpression = and();
const both = { expression: all, direction: null } as const;
const subjectTerm = (term: string): SearchExpression => ({ kind: "text", field: "subject", term });

async function subjects(mailbox: ProviderMailbox, section: Partial<Parameters<ProviderMailbox["list"]>[0]> = {}) {
  const { ids, hasMore } = await mailbox.list({ ...both, top: 10, ...section });
  return { subjects: (await mailbox.read(ids)).map(({ message }) => message.subject), hasMore };
}

async function expectMissing(mailbox: ProviderMailbox, id: MessageId): Promise<void> {
  for (const call of [mailbox.get, mailbox.getRaw, mailbox.remove]) {
    await expect(call(id)).rejects.toMatchObject({ code: "not_found" });
  }
}

test("lists and counts mails of both directions in the order of their instants", async () => {
  const mailbox = await open();
  for (const n of [1, 2, 3, 4]) await place(`mail ${n}`, n % 2 === 0 ? "Sent" : "Received");
  await api.ask("POST /api/sms", { body: { server: server.id, from: "+15550100", to: "+15550101", text: "no mail" } });
  expect(await subjects(mailbox)).toEqual({ subjects: ["mail 4", "mail 3", "mail 2", "mail 1"], hasMore: false });
  expect(await subjects(mailbox, { skip: 1, top: 2 })).toEqual({ subjects: ["mail 3", "mail 2"], hasMore: true });
  expect(await subjects(mailbox, { first: "oldest", top: 3 })).toEqual({
    subjects: ["mail 1", "mail 2", "mail 3"],
    hasMore: true,
  });
  expect((await subjects(mailbox, { direction: "Sent" })).subjects).toEqual(["mail 4", "mail 2"]);
  expect((await subjects(mailbox, { expression: subjectTerm("mail 3") })).subjects).toEqual(["mail 3"]);
  const header: SearchExpression = { kind: "header", name: "subject", term: "mail 2" };
  expect((await subjects(mailbox, { expression: header })).subjects).toEqual(["mail 2"]);
  expect([await mailbox.count(both), await mailbox.count({ ...both, direction: "Sent" })]).toEqual([4, 2]);
  const [, second] = (await mailbox.list({ ...both, top: 2 })).ids as [MessageId, MessageId];
  expect((await subjects(mailbox, { before: second })).subjects).toEqual(["mail 2", "mail 1"]);
});

test("reads a mail with its marks, source and attachment, and changes and deletes it", async () => {
  const mailbox = await open();
  const boundary = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n";
  const raw = Buffer.from(
    `Subject: file\r\n${boundary}Content-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--b--\r\n`,
  );
  const marks = { flags: ["seen"], tags: ["Blue"] } as const;
  const id = await mailbox.place({ raw, direction: "Sent", marks, providerIdOf: (own) => `acme-${own}` });
  const found = await mailbox.get(id);
  expect(found).toMatchObject({ id, direction: "Sent", marks, sizeBytes: raw.length, message: { subject: "file" } });
  expect(found.message.provider).toMatchObject({ name: "acme", id: `acme-${id}` });
  expect(Buffer.from(await mailbox.getRaw(id)).toString()).toBe(raw.toString());
  expect(Buffer.from(await mailbox.getAttachment(attachmentIdAt(id, 0))).toString()).toBe("file");
  await mailbox.mark([id, "no-id"], { removeFlags: ["seen"], addTags: ["Red"], removeTags: ["blue"] });
  expect((await mailbox.get(id)).marks).toEqual({ flags: [], tags: ["Red"] });
  expect(await mailbox.listTags()).toEqual(["Red"]);
  await mailbox.remove(id);
  await expectMissing(mailbox, id);
  await expect(mailbox.getAttachment(attachmentIdAt(id, 0))).rejects.toMatchObject({ code: "not_found" });
});

test("reports changes from a cursor on, and none when they are no longer known", async () => {
  const mailbox = await open();
  await place("before");
  const { cursor } = await mailbox.list({ ...both, top: 1 });
  const one = await place("one");
  const two = await place("two", "Sent");
  await mailbox.mark([one, two], { addFlags: ["seen"] });
  await mailbox.mark([one], { addTags: ["x"] });
  await mailbox.remove(two);
  const read = async (from: number): Promise<readonly MailboxChange[]> => {
    const page = await mailbox.changes(from, 2);
    return page === undefined || page.changes.length + page.cursor === from
      ? []
      : [...page.changes, ...(page.hasMore ? await read(page.cursor) : [])];
  };
  expect((await read(cursor)).map(({ kind, id }) => [kind, id])).toEqual([
    ["added", one],
    ["added", two],
    ["marked", one],
    ["deleted", two],
  ]);
  expect(await mailbox.changes(cursor + 1000, 2)).toBeUndefined();
  await api.ask(`DELETE /api/messages?server=${server.id}`);
  expect(await mailbox.changes(cursor, 100)).toBeUndefined();
});

test("opens the server of a restricted key for any user, else that of the address or the catch-all", async () => {
  await place("here");
  expect((await subjects(await open({ key: server.id, user: "x@elsewhere.example" }))).subjects).toEqual(["here"]);
  expect((await subjects(await open({ key: other.id }))).subjects).toEqual([]);
  expect((await subjects(await open({ user: `x@${other.id}.restante.test` }))).subjects).toEqual([]);
  expect((await subjects(await open({ user: null }))).subjects).toEqual([]);
  expect((await open()).address).toBe(`ada@${server.id}.restante.test`);
  expect((await open({ key: server.id, user: "0199" })).address).toBe(`me@${server.id}.restante.test`);
  await expect(open({ key: "zzzzzzzz" as ServerId })).rejects.toMatchObject({ code: "not_found" });
});

test("a mailbox shows and changes no mail of another server", async () => {
  const id = await place("mine");
  for (const mailbox of [await open({ key: other.id }), await open({ user: `x@${other.id}.restante.test` })]) {
    expect(await mailbox.read([id])).toEqual([]);
    await mailbox.mark([id], { addFlags: ["seen"] });
    await expectMissing(mailbox, id);
  }
  expect((await (await open()).get(id)).marks.flags).toEqual([]);
});

test("a caller whose key is not stored sees and changes only mail that came through the provider", async () => {
  const own = await place("own");
  const foreign = await deliver("foreign");
  const mailbox = await open({ isKnown: false });
  expect((await subjects(mailbox)).subjects).toEqual(["own"]);
  expect(await mailbox.count(both)).toBe(1);
  expect((await mailbox.read([foreign, own])).map(({ id }) => id)).toEqual([own]);
  await mailbox.mark([foreign, own], { addFlags: ["seen"] });
  const seen: SearchExpression = { kind: "flag", flag: "seen" };
  expect((await subjects(await open(), { expression: seen })).subjects).toEqual(["own"]);
  await expectMissing(mailbox, foreign);
  await mailbox.remove(own);
  expect((await subjects(await open())).subjects).toEqual(["foreign"]);
});

test("deletes mails together, and ignores others", async () => {
  const [one, two, foreign] = [await place("one"), await place("two", "Sent"), await deliver("foreign")];
  const mailbox = await open({ isKnown: false });
  await mailbox.removeEach([one, two, foreign, one]);
  expect((await subjects(await open())).subjects).toEqual(["foreign"]);
  await expect((await open({ scope: "read" })).removeEach([foreign])).rejects.toMatchObject({ code: "forbidden" });
});

test("lists no changes and tags of other mail to a key that is not stored", async () => {
  const known = await open();
  const { cursor } = await known.list({ ...both, top: 1 });
  const [foreign, removed] = [await deliver("foreign"), await deliver("removed")];
  const [own, deleted] = [await place("own"), await place("deleted", "Sent")];
  await known.mark([foreign], { addTags: ["Secret"] });
  await known.mark([foreign, own], { addTags: ["Shared"] });
  await known.remove(removed);
  const mailbox = await open({ isKnown: false });
  await mailbox.remove(deleted);
  expect(await mailbox.listTags()).toEqual(["Shared"]);
  expect(await known.listTags()).toEqual(["Secret", "Shared"]);
  const page = await mailbox.changes(cursor, 100);
  expect(page?.changes.map(({ kind, id }) => [kind, id])).toEqual([
    ["added", own],
    ["marked", own],
    ["deleted", deleted],
  ]);
  expect((await known.changes(cursor, 100))?.changes.map(({ id }) => id)).toContain(foreign);
});

test.each(["read", "send"] as const)("a key of the scope %s changes and deletes nothing", async (scope) => {
  const id = await place("kept");
  const mailbox = await open({ scope });
  await expect(mailbox.mark([id], { addFlags: ["seen"] })).rejects.toMatchObject({ code: "forbidden" });
  await expect(mailbox.remove(id)).rejects.toMatchObject({ code: "forbidden" });
  expect((await (await open()).get(id)).marks.flags).toEqual([]);
});

test("reads heads and outlines of mails, of which the last change is known", async () => {
  const mailbox = await open();
  const [first, second] = [await place("first"), await place("second", "Sent")];
  const { cursor } = await mailbox.list({ ...both, top: 1 });
  expect(await mailbox.outline(first)).toEqual({ excerpt: "Hello", sequence: cursor - 1 });
  expect(await mailbox.outline(second)).toEqual({ excerpt: "Hello", sequence: cursor });
  await mailbox.mark([first], { addFlags: ["seen"] });
  expect(await mailbox.outline(first)).toMatchObject({ sequence: cursor + 1 });
  const [head] = await mailbox.readHeads([first]);
  expect(head).toMatchObject({
    id: first,
    marks: { flags: ["seen"] },
    message: { subject: "first", text: { body: null } },
  });
  expect(head?.sizeBytes).toBe((await mailbox.getRaw(first)).byteLength);
  await mailbox.remove(first);
  await expect(mailbox.outline(first)).rejects.toMatchObject({ code: "not_found" });
  expect(await mailbox.readHeads([first])).toEqual([]);
});

test("finds the mails of a thread that the caller may read, the oldest first", async () => {
  const placeRaw = async (fields: string): Promise<MessageId> => {
    api.clock.advance(1);
    const raw = Buffer.from(`From: a@b.example\r\n${fields}\r\n\r\nHello\r\n`);
    const marks = { flags: [], tags: [] };
    return (await open()).place({ raw, direction: "Received", marks, providerIdOf: (id) => id });
  };
  const question = await placeRaw("Subject: Thread\r\nMessage-ID: <1@b.example>");
  const answer = await placeRaw("Subject: Re: Thread\r\nMessage-ID: <2@b.example>\r\nIn-Reply-To: <1@b.example>");
  const stranger = await api.deliver(server, {
    raw: Buffer.from("From: a@b.example\r\nSubject: Re: Thread\r\nReferences: <1@b.example>\r\n\r\nHello\r\n"),
  });
  expect(await (await open()).thread(answer)).toEqual([question, answer, stranger]);
  const own = await open({ isKnown: false });
  expect(await own.thread(answer)).toEqual([question, answer]);
  for (const read of [own.thread, own.outline]) {
    await expect(read(stranger)).rejects.toMatchObject({ code: "not_found" });
  }
});
