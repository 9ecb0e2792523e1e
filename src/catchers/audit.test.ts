/** Audit of the APIs of other mail catchers: every route that changes something records it, or is exempt. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import type { WireAuditEntry } from "../http/wire/account-schema.ts";
import { createCatcherRouter, catcherTable } from "./catcher-routes.ts";

type CatcherName = keyof typeof catcherTable;

/** Changes without an audit entry, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  "mailpit PUT /api/v1/messages": "marks messages as read: ordinary test traffic, which the messages show",
  "mailpit PUT /api/v1/tags": "sets tags: ordinary test traffic, which the messages show",
  "mailpit POST /api/v1/message/:id/release": "sends; the sent message is the record",
  "mailpit POST /api/v1/send": "creates a message: ordinary test traffic, and the message itself is the record",
  "mailhog POST /api/v1/messages/:id/release": "sends; the sent message is the record",
  "maildev PATCH /email/read-all": "marks messages as read: ordinary test traffic, which the messages show",
  "maildev PATCH /api/email/read-all": "marks messages as read: ordinary test traffic, which the messages show",
  "maildev POST /email/:id/relay": "sends; the sent message is the record",
  "maildev POST /email/:id/relay/:recipient": "sends; the sent message is the record",
  "maildev POST /api/email/:id/relay": "sends; the sent message is the record",
  "maildev POST /api/email/:id/relay/:recipient": "sends; the sent message is the record",
  "smtp4dev PUT /api/messages": "stores a message: ordinary test traffic, and the message itself is the record",
  "smtp4dev POST /api/messages/markallread": "marks messages as read: ordinary test traffic, which the messages show",
  "smtp4dev POST /api/messages/:id/markread": "marks messages as read: ordinary test traffic, which the messages show",
  "smtp4dev POST /api/messages/:id/relay": "sends; the sent message is the record",
  "smtp4dev POST /hubs/notifications/negotiate": "changes nothing",
};

/** Bodies and queries of the routes that record what they change; those of all others are empty. */
const requests: Readonly<Record<string, { readonly query?: string; readonly body?: object }>> = {
  "mailpit DELETE /api/v1/search": { query: "?query=subject:hello" },
  "mailpit PUT /api/v1/chaos": { body: {} },
  "mailpit PUT /api/v1/tags/:tag": { body: { Name: "other" } },
  "mailhog POST /api/v2/jim": { body: {} },
  "mailhog PUT /api/v2/jim": { body: {} },
  "maildev POST /api/email/delete": { body: { ids: ["ID"] } },
};

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const entries = async (): Promise<readonly WireAuditEntry[]> =>
  (await api.ask("GET /api/audit?itemsPerPage=1000")).json();

test.each(Object.keys(catcherTable) as CatcherName[])("%s records every route that changes something", async (name) => {
  const catcher = await catcherTable[name]();
  const access = { name, server: server.id, trustsLoopback: true };
  const listener = api.app.createCatcherListener(createCatcherRouter(catcher, { access, version: "0" }), null);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const unrecorded: string[] = [];
  for (const { method, path } of catcher.routes.filter((route) => route.method !== "GET")) {
    const called = `${name} ${method} ${path}`;
    const id = await api.deliver(server, { subject: "hello" });
    await api.context.store.marks.changeMarks(server.id, [id], { addTags: ["mine"] });
    const before = (await entries()).length;
    const { query = "", body } = requests[called] ?? {};
    const url = `http://127.0.0.1:${port}${path.replace(":id", id).replace(":tag", "mine").replace(":recipient", "friend@outside.example")}${query}`;
    await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body).replace("ID", id) }) });
    if ((await entries()).length === before) unrecorded.push(called);
  }
  listener.close();
  expect(unrecorded.toSorted()).toEqual(
    Object.keys(exempt)
      .filter((one) => one.startsWith(`${name} `))
      .toSorted(),
  );
});
