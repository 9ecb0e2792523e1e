import { afterAll, beforeAll, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { bounceMessage } from "./simulate-replies.ts";
import { createDevice } from "../devices/devices.ts";
import { createEmail } from "./create-email.ts";
import { createServer } from "../servers/servers.ts";
import { forwardMessage, replyToMessage } from "./reply-to-message.ts";
import { receiveSms } from "../sms/receive-sms.ts";

const account = { keyId: "test", server: null };

let api: HttpTestServer;
let server: TestServer;
let [email, sms] = ["", ""];

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  email = await api.deliver(server);
  const text = { from: "+15550100", to: "+15550101", text: "Hello", receivedAt: null };
  sms = await receiveSms(api.context, { ...text, server: server.id });
});
afterAll(async () => api[Symbol.asyncDispose]());

async function fieldsOf(request: Promise<unknown>): Promise<readonly string[]> {
  const error = await request.catch((cause: unknown) => cause);
  if (!(error instanceof Problem)) throw error;
  return error.fields.map(({ field }) => field);
}

const attachments = [{ content: "?" }];

test.each<[string, readonly string[], () => Promise<unknown>]>([
  ["a device", ["sharedSecret", "name"], () => createDevice(api.context, account, { name: " " })],
  [
    "a server",
    ["name", "ttlSeconds", "quota.messages", "quota.bytes"],
    () => createServer(api.context, account, { ttlSeconds: 0, quota: { messages: 0, bytes: 0.5 } }),
  ],
  [
    "a bounce",
    ["status", "diagnostic"],
    () => bounceMessage(api.context, account, { id: email, fields: { status: "2.0.0", diagnostic: "x".repeat(501) } }),
  ],
  [
    "an SMS",
    ["from", "to", "text", "received"],
    () => {
      const text = { from: "?", to: "?", text: "x".repeat(1601), receivedAt: -1 };
      return receiveSms(api.context, { ...text, server: server.id });
    },
  ],
  [
    "a forward",
    ["to", "cc"],
    () => forwardMessage(api.context, account, { id: email, fields: { cc: "?" }, repeatKey: null }),
  ],
  [
    "recipients that mail may not go to",
    ["to", "cc"],
    () => {
      const fields = { send: true, to: "a@foreign.example", cc: "b@foreign.example" };
      return createEmail(api.context, account, { server: server.id, fields, repeatKey: null });
    },
  ],
  [
    "a reply",
    ["cc", "attachments[0].content"],
    () => replyToMessage(api.context, account, { id: email, fields: { cc: "?", attachments }, repeatKey: null }),
  ],
  [
    "a reply to an SMS",
    ["cc", "html", "attachments", "text"],
    () => {
      const fields = { cc: "a@b.example", html: "<p>", attachments };
      return replyToMessage(api.context, account, { id: sms, fields, repeatKey: null });
    },
  ],
])("a request for %s reports every wrong field", async (_request, expected, ask) => {
  expect(await fieldsOf(ask())).toEqual(expected);
});
