import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { NewMessage } from "../../store/store.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { announce } from "../services/events/announce.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { addMails } from "./add-mails.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

async function aMail(): Promise<NewMessage & { readonly id: MessageId }> {
  const raw = Buffer.from("From: a@x.test\r\nSubject: s\r\n\r\nA needle\r\n");
  const { id } = api.context.ids.next(server.id, "Received");
  const content = await api.context.readEmail(raw);
  return recordEmail(id, { raw, envelope: { mailFrom: null, rcptTo: [] }, session: null }, content);
}

test("lets the store release search bodies, which it finds nevertheless", async () => {
  const mail = await aMail();
  await expect(addMails(api.context, [mail], {})).resolves.toMatchObject([{ outcome: "stored" }]);
  expect(mail.keys.body.text).toBeNull();
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  const found = await api.context.store.searchMessages(server.id, { body: "needle", match: "ALL" }, page);
  expect(found.count).toBe(1);
});

test("keeps search bodies while the server has subscribers", async () => {
  const bodies: (string | null | undefined)[] = [];
  const leave = api.context.events.subscribe(server.id, ({ message }) => void bodies.push(message?.body));
  const mail = await aMail();
  const outcomes = await addMails(api.context, [mail], {});
  announce(api.context, [mail], outcomes);
  leave();
  expect(bodies).toEqual(["a needle "]);
});

test("does not store mails again whose search bodies were released", async () => {
  const mail = await aMail();
  await addMails(api.context, [mail], {});
  await expect(addMails(api.context, [mail], {})).rejects.toThrow("released");
});
