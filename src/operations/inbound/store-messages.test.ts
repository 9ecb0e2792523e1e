import { criteriaExpression } from "../../core/search/build-expression.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { NewMessage } from "../../store/store.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { storeMessages } from "./store-messages.ts";

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

const store = async (...mails: readonly NewMessage[]): Promise<readonly MessageId[]> => {
  const left = mails.map((mail) => ({ records: [mail] }));
  const { stored } = await storeMessages(api.context, () => left.shift() ?? { records: [] });
  return stored.map(({ id }) => id);
};

test("lets the store release search bodies, which it finds nevertheless", async () => {
  const mail = await aMail();
  await expect(store(mail)).resolves.toEqual([mail.id]);
  expect(mail.keys.body.text).toBeNull();
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  const found = await api.context.store.searchMessages(
    server.id,
    criteriaExpression({ body: "needle", match: "ALL" }),
    page,
  );
  expect(found.count).toBe(1);
});

test("publishes stored messages, with their bodies while the server has subscribers", async () => {
  const bodies: (string | null | undefined)[] = [];
  const leave = api.context.events.subscribe(server.id, ({ message }) => void bodies.push(message?.body));
  await store(await aMail());
  leave();
  expect(bodies).toEqual(["a needle "]);
});

test("does not store mails again whose search bodies were released", async () => {
  const mail = await aMail();
  await store(mail);
  await expect(store(mail)).rejects.toThrow("released");
});

test("builds the records again when an id is taken, and publishes only what was stored", async () => {
  const [first, other, second] = [await aMail(), await aMail(), await aMail()];
  await store(first);
  const published: (MessageId | null)[] = [];
  const leave = api.context.events.subscribe(server.id, ({ change }) => void published.push(change?.id ?? null));
  await expect(store({ ...other, id: first.id }, second)).resolves.toEqual([second.id]);
  leave();
  expect(published).toEqual([second.id]);
});
