/** Threads and latencies over the whole pipeline. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  candidateCountMax,
  turnTextLengthMax,
  type Conversation,
  type Turn,
} from "../../operations/messages/read-conversation.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let foreign: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer("own");
  foreign = await api.addServer("foreign");
});
afterAll(async () => api[Symbol.asyncDispose]());

async function conversationOf(id: string, key = server.key): Promise<Conversation> {
  return (await api.ask(`GET /web/messages/${id}/conversation`, { key })).json<Conversation>();
}

const said = (turns: readonly Turn[]): readonly string[] =>
  turns.map(({ direction, text }) => `${direction}: ${text.trim()}`);

describe("a thread of mails", () => {
  test("contains a mail and all replies, oldest first, for any of its messages", async () => {
    const friend = `friend@${server.id}.restante.test`;
    const question = await api.deliver(server, {
      raw: `From: friend@outside.example\r\nTo: ${friend}\r\nSubject: Plans\r\nMessage-ID: <q@outside.example>\r\n\r\nWhen?\r\n`,
    });
    await api.deliver(server, { subject: "Plans", text: "Not of it\r\n" });
    const reply = await api.ask(`POST /api/messages/${question}/reply`, { body: { text: "Now." } });
    const { id: response } = reply.json<{ id: string }>();
    await api.deliver(server, {
      raw: `From: friend@outside.example\r\nSubject: RE: Plans\r\nReferences: <q@outside.example>\r\n\r\nFine\r\n`,
    });
    for (const id of [question, response]) {
      const { turns, answers } = await conversationOf(id);
      expect(answers).toBeNull();
      expect(said(turns)).toEqual(["Received: When?", expect.stringMatching(/^Sent: Now\./), "Received: Fine"]);
      expect(turns.map(({ delivery }) => delivery?.status)).toEqual([undefined, "Queued", undefined]);
    }
  });

  test("shows the text of HTML-only mails, and the start of long ones", async () => {
    const head = "Subject: Long\r\nContent-Type: text/html\r\n\r\n<style>p{}</style>";
    const html = await api.deliver(server, { raw: `${head}<p>Your code is <b>482913</b></p>` });
    const long = await api.deliver(server, { text: "x".repeat(turnTextLengthMax + 1) });
    const [turn] = (await conversationOf(html)).turns;
    expect([turn?.text.trim(), turn?.codes]).toEqual(["Your code is 482913", ["482913"]]);
    expect((await conversationOf(long)).turns[0]?.text).toHaveLength(turnTextLengthMax);
  });

  test("counts attachments without images of the HTML, as the list does", async () => {
    const part = (fields: string, body: string): string => `--b\r\n${fields}\r\n\r\n${body}\r\n`;
    const raw = [
      "Subject: Parts\r\nContent-Type: multipart/related; boundary=b\r\n\r\n",
      part("Content-Type: text/html", '<img src="cid:logo">'),
      part("Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Disposition: inline", "x"),
      part("Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt", "a"),
      "--b--\r\n",
    ].join("");
    const [turn] = (await conversationOf(await api.deliver(server, { raw }))).turns;
    expect(turn?.attachments).toBe(1);
  });

  test("is found without a subject, and never includes another server", async () => {
    const raw = (name: string, text: string): string =>
      `Message-ID: <${name}@x>\r\nReferences: <root@x>\r\n\r\n${text}`;
    const one = await api.deliver(server, { raw: raw("one", "One") });
    await api.deliver(server, { raw: raw("two", "Two") });
    await api.deliver(foreign, { raw: raw("three", "Three") });
    expect(said((await conversationOf(one)).turns)).toEqual(["Received: One", "Received: Two"]);
  });

  test("is searched among the newest messages, and contains the requested one whatever its age", async () => {
    const other = await api.addServer("busy");
    const raw = (name: number): string =>
      `Subject: Busy\r\nMessage-ID: <${String(name)}@x>\r\nReferences: <root@x>\r\n\r\n.`;
    const oldest = await api.deliver(other, { raw: raw(0) });
    for (let name = 1; name <= candidateCountMax + 1; name += 1) await api.deliver(other, { raw: raw(name) });
    const { turns } = await conversationOf(oldest, other.key);
    expect([turns.length, turns[0]?.id]).toEqual([candidateCountMax + 1, oldest]);
  });
});

describe("a thread of SMS", () => {
  const text = async (from: string, to: string, body: string): Promise<string> => {
    api.clock.advance(1);
    const reply = await api.ask("POST /api/sms", { body: { from, to, text: body } });
    return reply.json<{ id: string }>().id;
  };

  test("contains everything between two numbers, both ways, and the approved phrases", async () => {
    const number = { number: "+15550100", server: server.id, webhook: "http://127.0.0.1:9/hook" };
    expect((await api.ask("POST /api/phone-numbers", { body: number })).statusCode).toBe(200);
    const pending = await text("+15550199", "+15550100", "Delete it? Answer YES or NO");
    await text("+15550177", "+15550100", "Of another conversation");
    const reply = await api.ask(`POST /api/messages/${pending}/reply`, { body: { text: "YES" } });
    const response = reply.json<{ id: string }>().id;
    await text("+1 555 0199", "+15550100", "Done. Your code is 804219");
    for (const id of [pending, response]) {
      const { turns, answers } = await conversationOf(id);
      expect(said(turns)).toEqual([
        "Received: Delete it? Answer YES or NO",
        "Sent: YES",
        "Received: Done. Your code is 804219",
      ]);
      expect(turns[2]?.codes).toEqual(["804219"]);
      expect(answers).toEqual({ phrases: ["YES", "NO", "STOP", "START"], hasWebhook: true });
    }
  });

  test("reports a number without a way to reply", async () => {
    await api.ask("POST /api/phone-numbers", { body: { number: "+15550101", server: server.id } });
    const { answers } = await conversationOf(await text("Shop", "+15550101", "Hello"));
    expect(answers?.hasWebhook).toBe(false);
  });
});

test("latencies of mails are visible to keys of their server", async () => {
  const timed = await api.addServer("timed");
  const id = await api.deliver(timed);
  const read = async (): Promise<unknown> => (await api.ask(`GET /web/servers/${timed.id}/timings`)).json();
  expect(await read()).toEqual([{ id, storedMs: 0, toldMs: null }]);
  expect((await api.ask(`GET /web/servers/${timed.id}/timings`, { key: foreign.key })).statusCode).toBe(404);
});

test("responds 404 for unknown and foreign ids", async () => {
  const id = await api.deliver(server);
  const path = `GET /web/messages/${id}/conversation`;
  expect((await api.ask(path, { key: foreign.key })).statusCode).toBe(404);
  expect((await api.ask(path, { key: null })).statusCode).toBe(401);
  await api.ask(`DELETE /api/messages/${id}`);
  expect((await api.ask(path)).statusCode).toBe(404);
});
