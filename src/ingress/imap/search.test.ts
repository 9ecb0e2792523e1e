import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { decodeMessageId, type MessageId, parseMessageId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import { readMailDay } from "../../core/mail-date.ts";
import { parseMail } from "../../mime/parse-mail.ts";
import { joinTexts } from "../../mime/body-content.ts";
import { createMailboxSearch, type SearchedMessages } from "../../operations/mailboxes/search/search-mailbox.ts";
import { listMailbox } from "../../operations/mailboxes/open-mail.ts";
import { receiveSms } from "../../operations/sms/receive-sms.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { type ImapSearchKey, parseSearch } from "./parse-search.ts";
import { resolveSearch } from "./resolve-search.ts";
import { matches, type ModelMailbox, type ModelMessage } from "./search-model.test-aid.ts";
import { tokenise } from "./tokenise.ts";

const words = ["alpha", "beta", "gamma", "alphabet", "Größe", "a b"];
const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 0, 1);
const messageCount = 30;
const caller = { key: "k", signal: new AbortController().signal };

let api: HttpTestServer;
let server: TestServer;
let model: readonly ModelMessage[];
let mailbox: ModelMailbox;
let messages: SearchedMessages;

const pick = <Value>(values: readonly Value[], index: number): Value => {
  const value = values[index % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
};

function mailOf(index: number): string {
  const sentAt = new Date(firstDay + (index % 4) * dayMs + 23 * 3_600_000).toUTCString().replace("GMT", "-0800");
  return [
    `From: ${pick(words, index)} <${pick(["ada", "bob"], index)}@x.example>`,
    `To: <someone@${server.id}.restante.test>, "${pick(words, index + 2)}" <to@y.example>`,
    ...(index % 3 === 0 ? [`Cc: ${pick(words, index)}@z.example`] : []),
    `Subject: ${pick(words, index * 7)} ${pick(words, index + 3)}`,
    ...(index % 5 === 0 ? [] : [`Date: ${sentAt}`]),
    `Message-ID: <${index}@x.example>`,
    ...(index % 2 === 0 ? [`X-Mailer: ${pick(words, index)}`] : []),
    "",
    `${pick(words, index * 5)} and ${pick(words, index + 1)}\r\n${"x".repeat(index * 10)}`,
    "",
  ].join("\r\n");
}

async function modelOf(id: MessageId, uid: number, number: number): Promise<ModelMessage> {
  const raw = Buffer.from((await api.context.store.getRaw(id)) ?? []);
  const mail = parseMail(raw, defaultLimits);
  const [marked] = await api.context.store.marks.readMarks(server.id, [id]);
  return {
    uid,
    number,
    mail,
    text: joinTexts(raw, mail.textParts) ?? "",
    sizeBytes: raw.length,
    receivedAt: decodeMessageId(id).receivedAt,
    marks: marked?.marks ?? noMarks,
    modSequence: Math.max(uid, marked?.sequence ?? 0),
    sentDay: readMailDay(mail.headers.find(({ field }) => field === "Date")?.value ?? ""),
  };
}

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  for (let index = 0; index < messageCount; index += 1) {
    api.clock.advance(dayMs / 6);
    const id = parseMessageId(await api.deliver(server, { raw: mailOf(index) }));
    if (id === undefined || index % 3 === 2) continue;
    const addFlags = index % 3 === 0 ? (["seen"] as const) : (["seen", "flagged"] as const);
    await api.context.store.marks.changeMarks(server.id, [id], { addFlags, addTags: [pick(["Red", "$x"], index)] });
  }
  const { mails } = await listMailbox(api.context, { server: server.id, direction: "Received" });
  model = await Promise.all(mails.map(({ id, sequence }, at) => modelOf(id, sequence, at + 1)));
  const uids = Uint32Array.from(mails, ({ sequence }) => sequence);
  const ids = new Map(mails.map(({ id, sequence }) => [sequence, id]));
  const byId = new Map(mails.map(({ id, sequence }) => [id, sequence]));
  messages = {
    server: server.id,
    direction: "Received",
    uids,
    idOf: (uid) => ids.get(uid),
    uidsOf: (wanted) => new Map(Array.from(wanted).flatMap((id) => (byId.has(id) ? [[id, byId.get(id) ?? 0]] : []))),
  };
  mailbox = {
    messageCount: uids.length,
    uidMax: uids.at(-1) ?? 0,
    recent: new Set(uids.slice(-5)),
    saved: new Set(uids.slice(3, 9)),
  };
});
afterAll(async () => api[Symbol.asyncDispose]());

async function search(key: ImapSearchKey, within: SearchedMessages = messages): Promise<readonly number[]> {
  const query = resolveSearch(key, {
    uids: within.uids,
    isRecent: (uid) => mailbox.recent.has(uid),
    isSaved: (uid) => mailbox.saved.has(uid),
    tagOf: (keyword) => keyword,
  });
  return await createMailboxSearch(api.context).search(within, query, caller);
}

const searchFor = async (text: string): Promise<readonly number[]> =>
  search(parseSearch(tokenise([{ kind: "text", text: Buffer.from(text).toString("latin1") }])).key);

const word = fc.constantFrom("alpha", "ALPHAB", "größe", "a b", "x.example", "ada", "", "none", "amma");
const set = fc.array(
  fc.record({
    first: fc.oneof(fc.integer({ min: 1, max: 45 }), fc.constant("*" as const)),
    last: fc.oneof(fc.integer({ min: 1, max: 45 }), fc.constant("*" as const)),
  }),
  { minLength: 1, maxLength: 3 },
);
const anySet = fc.oneof({ weight: 4, arbitrary: set }, { weight: 1, arbitrary: fc.constant("saved" as const) });
const leaf: fc.Arbitrary<ImapSearchKey> = fc.oneof(
  fc.constantFrom<ImapSearchKey>({ kind: "all" }, { kind: "recent" }),
  fc.constantFrom("seen", "flagged", "deleted").map((flag) => ({ kind: "flag", flag }) as const),
  fc.constantFrom("red", "$X", "none").map((keyword) => ({ kind: "keyword", keyword }) as const),
  fc.record({
    kind: fc.constant("address" as const),
    field: fc.constantFrom("from" as const, "to" as const, "cc" as const),
    text: word,
  }),
  fc.record({
    kind: fc.constant("content" as const),
    field: fc.constantFrom("subject" as const, "body" as const, "text" as const),
    text: word,
  }),
  fc.record({
    kind: fc.constant("header" as const),
    name: fc.constantFrom("X-Mailer", "subject", "Message-ID", "Date", "Cc"),
    text: word,
  }),
  fc.record({
    kind: fc.constant("date" as const),
    of: fc.constantFrom("received" as const, "sent" as const),
    comparison: fc.constantFrom("before" as const, "on" as const, "since" as const),
    day: fc.integer({ min: -1, max: 6 }).map((day) => firstDay + day * dayMs),
  }),
  fc.record({
    kind: fc.constant("size" as const),
    comparison: fc.constantFrom("larger" as const, "smaller" as const),
    bytes: fc.integer({ min: 200, max: 800 }),
  }),
  fc.record({ kind: fc.constantFrom("numbers" as const, "uids" as const), set: anySet }),
  fc.record({ kind: fc.constant("modSequence" as const), from: fc.integer({ min: 1, max: 70 }) }),
);
const { key: anyKey } = fc.letrec<{ key: ImapSearchKey }>((tie) => ({
  key: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant("not" as const), of: tie("key") }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      of: fc.array(tie("key"), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

describe("a search in a mailbox", () => {
  it("finds what a comparison of each message finds, for any key", async () => {
    await fc.assert(
      fc.asyncProperty(anyKey, async (key) => {
        const expected = model.filter((message) => matches(key, message, mailbox)).map(({ uid }) => uid);
        expect({ key, found: await search(key) }).toEqual({ key, found: expected });
      }),
      { numRuns: 300 },
    );
  });

  it("finds each message by a key of its own", async () => {
    const [, second] = model;
    expect(await searchFor('HEADER Message-ID "<1@x.example>"')).toEqual([second?.uid]);
    expect(await searchFor(`UID ${second?.uid}`)).toEqual([second?.uid]);
    expect(await searchFor("2")).toEqual([second?.uid]);
    expect((await searchFor("ALL")).length).toBe(messageCount);
    expect(await searchFor("NOT ALL")).toEqual([]);
  });

  it("reads only those mails that the other keys leave undecided", async () => {
    const getDetail = vi.spyOn(api.context.store, "getDetail");
    try {
      await searchFor('HEADER X-Mailer alpha FROM "ada" 1:4');
      expect(getDetail).toHaveBeenCalledTimes(2);
      getDetail.mockClear();
      await searchFor("FROM ada SUBJECT alpha OR BODY beta NOT SEEN SINCE 1-Jan-2026 LARGER 100");
      expect(getDetail).not.toHaveBeenCalled();
    } finally {
      getDetail.mockRestore();
    }
  });

  it("searches in the store for a term, also where it is negated, and not for all messages", async () => {
    const findMessages = vi.spyOn(api.context.store, "findMessages");
    try {
      const [unseen, seen] = [await searchFor("UNSEEN"), await searchFor("SEEN")];
      expect([...unseen, ...seen].toSorted((a, b) => a - b)).toEqual([...messages.uids]);
      expect(findMessages.mock.calls.map(([, expression]) => expression)).toEqual([
        { kind: "flag", flag: "seen" },
        { kind: "flag", flag: "seen" },
      ]);
      findMessages.mockClear();
      expect(await searchFor('ALL NOT FROM ""')).toEqual([]);
      expect(findMessages).not.toHaveBeenCalled();
    } finally {
      findMessages.mockRestore();
    }
  });

  it("finds nothing in an empty mailbox, and no message that the client does not know", async () => {
    const none = { ...messages, uids: new Uint32Array() };
    for (const key of [{ kind: "all" }, { kind: "uids", set: [{ first: 1, last: "*" }] }] as const) {
      expect(await search(key, none)).toEqual([]);
    }
    const known = { ...messages, uids: messages.uids.slice(0, 3) };
    expect(await search({ kind: "all" }, known)).toEqual([...known.uids]);
  });

  it("stops when the client has disconnected", async () => {
    const query = resolveSearch(
      { kind: "header", name: "X-Mailer", text: "alpha" },
      { uids: messages.uids, isRecent: () => false, isSaved: () => false, tagOf: (keyword) => keyword },
    );
    const signal = AbortSignal.abort(new Error("disconnected"));
    await expect(createMailboxSearch(api.context).search(messages, query, { key: "k", signal })).rejects.toThrow(
      "disconnected",
    );
  });

  it("rejects a key with too many conditions on header fields", async () => {
    const alternating = (count: number): ImapSearchKey =>
      Array.from({ length: count }).reduce<ImapSearchKey>(
        (of, _, index) => ({
          kind: index % 2 === 0 ? "and" : "or",
          of: [{ kind: "header", name: "x-a", text: "b" }, { kind: "flag", flag: "seen" }, of],
        }),
        { kind: "all" },
      );
    await expect(search(alternating(60))).rejects.toMatchObject({ code: "limit_reached" });
    expect((await search(alternating(10))).length).toBeLessThanOrEqual(messageCount);
  });

  it("compares the size and the header fields of the mail that shows an SMS", async () => {
    const other = await api.addServer();
    await receiveSms(api.context, {
      from: "+4915100000001",
      to: "+4915100000002",
      text: "Your code is 123456",
      server: other.id,
      receivedAt: null,
    });
    const { mails } = await listMailbox(api.context, { server: other.id, direction: "Received" });
    const [sms] = mails;
    const within: SearchedMessages = {
      ...messages,
      server: other.id,
      uids: Uint32Array.from(mails, ({ sequence }) => sequence),
      idOf: () => sms?.id,
    };
    expect(mails).toHaveLength(1);
    expect(await search({ kind: "size", comparison: "larger", bytes: 100 }, within)).toHaveLength(1);
    expect(await search({ kind: "size", comparison: "larger", bytes: 10_000 }, within)).toHaveLength(0);
    expect(await search({ kind: "size", comparison: "smaller", bytes: 10_000 }, within)).toHaveLength(1);
    expect(await search({ kind: "header", name: "mime-version", text: "1.0" }, within)).toHaveLength(1);
    expect(await search({ kind: "content", field: "body", text: "123456" }, within)).toHaveLength(1);
  });
});
