import { afterAll, beforeAll, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { openHttpDoor, type HttpDoor, type TestServer } from "../../testing/http-door.test-aid.ts";
import { bounceMessage } from "./simulate-replies.ts";
import { createDevice } from "../devices/create-device.ts";
import { createEmail } from "./create-email.ts";
import { createServer } from "../servers/create-server.ts";
import { forwardMessage } from "./forward-message.ts";
import { receiveSms } from "../sms/receive-sms.ts";
import { replyToMessage } from "./reply-to-message.ts";

const account = { keyId: "test", server: null };

let door: HttpDoor;
let server: TestServer;
let [email, sms] = ["", ""];

beforeAll(async () => {
  door = await openHttpDoor();
  server = await door.addServer();
  email = await door.deliver(server);
  const text = { from: "+15550100", to: "+15550101", text: "Hello", receivedAt: null };
  sms = await receiveSms(door.context, { ...text, server: server.id });
});
afterAll(async () => door[Symbol.asyncDispose]());

async function fieldsOf(request: Promise<unknown>): Promise<readonly string[]> {
  const error = await request.catch((cause: unknown) => cause);
  if (!(error instanceof Problem)) throw error;
  return error.fields.map(({ field }) => field);
}

const attachments = [{ content: "?" }];

test.each<[string, readonly string[], () => Promise<unknown>]>([
  ["a device", ["sharedSecret", "name"], () => createDevice(door.context, account, { name: " " })],
  [
    "a server",
    ["name", "ttlSeconds", "quota.messages", "quota.bytes"],
    () => createServer(door.context, account, { ttlSeconds: 0, quota: { messages: 0, bytes: 0.5 } }),
  ],
  [
    "a bounce",
    ["status", "diagnostic"],
    () => bounceMessage(door.context, account, { id: email, fields: { status: "2.0.0", diagnostic: "x".repeat(501) } }),
  ],
  [
    "an SMS",
    ["from", "to", "text", "received"],
    () => {
      const text = { from: "?", to: "?", text: "x".repeat(1601), receivedAt: -1 };
      return receiveSms(door.context, { ...text, server: server.id });
    },
  ],
  [
    "a forward",
    ["to", "cc"],
    () => forwardMessage(door.context, account, { id: email, fields: { cc: "?" }, repeatKey: null }),
  ],
  [
    "recipients that mail may not go to",
    ["to", "cc"],
    () => {
      const fields = { send: true, to: "a@foreign.example", cc: "b@foreign.example" };
      return createEmail(door.context, account, { server: server.id, fields, repeatKey: null });
    },
  ],
  [
    "a reply",
    ["cc", "attachments[0].content"],
    () => replyToMessage(door.context, account, { id: email, fields: { cc: "?", attachments }, repeatKey: null }),
  ],
  [
    "a reply to an SMS",
    ["cc", "html", "attachments", "text"],
    () => {
      const fields = { cc: "a@b.example", html: "<p>", attachments };
      return replyToMessage(door.context, account, { id: sms, fields, repeatKey: null });
    },
  ],
])("a request for %s reports every wrong field", async (_request, expected, ask) => {
  expect(await fieldsOf(ask())).toEqual(expected);
});
