import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageId } from "../../../core/ids.ts";
import { parseQuery } from "../../../core/search/parse-query.ts";
import { and, not, or, type SearchExpression } from "../../../core/search/search-expression.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { countMessages, eachBatch, findMessages } from "./find-messages.ts";

let api: HttpTestServer;
let server: TestServer;
let [invoice, code, plain]: MessageId[] = [];
/** Code of six table cells, and one with a hyphen. */
const cells = `<p>Your code:</p><table><tr>${"735190".replaceAll(/\d/g, "<td>$&</td>")}</tr></table><p>Or use the PIN X7K-9QZ.</p>`;

const mixed = [
  "From: =?utf-8?q?J=C3=B6rg?= Billing <billing@corp.example>",
  "To: Ann <ann@x.test>, bob@y.test",
  "Cc: Carol Cook <carol@x.test>",
  "Reply-To: Help Desk <help@corp.example>",
  "Message-ID: <abc.123@corp.example>",
  "Subject: Invoice",
  "X-Campaign: Spring Sale",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "--b",
  "",
  "See the file.",
  "--b",
  "Content-Type: application/pdf",
  'Content-Disposition: attachment; filename="Rechnung 17.pdf"',
  "",
  "x",
  "--b",
  "Content-Type: image/png",
  "Content-ID: <logo>",
  "Content-Disposition: inline; filename=logo.png",
  "",
  "x",
  "--b--",
  "",
].join("\r\n");

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  invoice = await api.deliver(server, { raw: mixed, to: "hidden@z.test" });
  code = await api.deliver(server, { from: "app@corp.example", subject: "Code", text: "Your code: 804 219\r\n" });
  plain = await api.deliver(server, { subject: "Plain", raw: "Subject: Plain\r\nX-Campaign: autumn\r\n\r\nhello\r\n" });
});
afterAll(async () => api[Symbol.asyncDispose]());

const within = { itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null } as const;
const find = async (expression: SearchExpression, itemsPerPage = 50): Promise<readonly MessageId[]> => {
  const bounds = { ...within, itemsPerPage };
  const { identities } = await findMessages(api.context.store, server.id, { expression, within: bounds });
  return identities.map(({ id }) => id);
};
const search = async (query: string): Promise<readonly MessageId[]> =>
  await find(parseQuery(query, { now: api.clock.now() }).expression);

describe("a search of mails", () => {
  test.each([
    "JÖRG",
    "from:jörg",
    'from:"billing <billing@corp"',
    "to:ann",
    "to:bob@y.test",
    "cc:cook",
    "bcc:hidden",
    "recipient:hidden@z",
    "reply-to:desk",
    "addressed:carol",
    "message-id:abc.123",
    "rechnung",
    'filename:"nung 17"',
    "filename:logo",
    "has:attachment",
    "has:inline",
    "larger:500",
    "see jörg rechnung",
    'see "the file"',
    "(subject:invoice OR subject:bill) -from:app",
  ])("finds one mail by %s", async (query) => {
    expect(await search(query)).toEqual([invoice]);
  });

  test("finds a code as it is typed", async () => {
    expect(await search("804219")).toEqual([code]);
    expect(await search("80421")).toEqual([code]);
  });

  test("finds messages with codes, and by a code in cells or without its hyphen", async () => {
    const inbox = await api.addServer();
    const raw = `Subject: Sign in\r\nContent-Type: text/html\r\n\r\n${cells}\r\n`;
    const html = await api.deliver(inbox, { raw });
    const text = await api.deliver(inbox, { subject: "Code", text: "Your code: 804 219\r\n" });
    const none = await api.deliver(inbox, { subject: "Offer", text: "Only 1999 EUR until 2026-12-24\r\n" });
    const found = async (query: string): Promise<readonly MessageId[]> => {
      const { expression } = parseQuery(query, { now: api.clock.now() });
      const { identities } = await findMessages(api.context.store, inbox.id, { expression, within });
      return identities.map(({ id }) => id);
    };
    expect(await found("has:code")).toEqual([text, html]);
    expect(await found("-has:codes")).toEqual([none]);
    expect(await found("735190")).toEqual([html]);
    expect(await found("code:X7K9QZ")).toEqual([html]);
    expect(await found("code:x7k-9")).toEqual([html]);
    expect(await found("code:8042 -subject:sign")).toEqual([text]);
    expect(await found("code:1999")).toEqual([]);
  });

  test("narrows with each term", async () => {
    expect(await search("corp.example")).toEqual([code, invoice]);
    expect(await search("corp.example invoice")).toEqual([invoice]);
    expect(await search("corp.example -invoice")).toEqual([code]);
    expect(await search("corp.example invoice nowhere")).toEqual([]);
  });
});

test("counts matches up to a bound", async () => {
  const { expression } = parseQuery("corp.example", { now: api.clock.now() });
  const counted = async (countMax: number) =>
    await countMessages(api.context.store, server.id, { expression, within, countMax });
  const { cursor } = await counted(2);
  expect(cursor).toBeGreaterThanOrEqual(3);
  expect(await counted(2)).toEqual({ count: 2, isExact: true, cursor });
  expect(await counted(1)).toEqual({ count: 1, isExact: false, cursor });
});

describe("a search of header fields", () => {
  const header = (name: string, term: string): SearchExpression => ({ kind: "header", name, term });

  test("reads the fields of messages that the other terms leave", async () => {
    expect(await find(header("x-campaign", "spring"))).toEqual([invoice]);
    expect(await find(header("x-campaign", ""))).toEqual([plain, invoice]);
    expect(await find(not(header("x-campaign", "")))).toEqual([code]);
    expect(await find(header("", "autumn"))).toEqual([plain]);
    expect(await find(and(header("x-campaign", ""), { kind: "text", field: "body", term: "hello" }))).toEqual([plain]);
    const either = or(header("x-campaign", "spring"), { kind: "text", field: "subject", term: "code" });
    expect(await find(either)).toEqual([code, invoice]);
    expect(await find(either, 1)).toEqual([code]);
  });

  test("counts and yields all matches", async () => {
    const expression = header("x-campaign", "");
    const { itemsPerPage, ...bounds } = within;
    const counted = async (countMax: number) =>
      await countMessages(api.context.store, server.id, { expression, within: bounds, countMax });
    expect(itemsPerPage).toBe(50);
    expect(await counted(10)).toEqual({ count: 2, isExact: true, cursor: null });
    expect(await counted(1)).toEqual({ count: 1, isExact: false, cursor: null });
    const batches: MessageId[][] = [];
    for await (const batch of eachBatch(api.context.store, server.id, { expression, within: bounds })) {
      batches.push(batch.map(({ id }) => id));
    }
    expect(batches).toEqual([[plain, invoice]]);
  });
});
