import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, onTestFinished } from "vitest";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import { deliverSms, type SmsDependencies, type WebhookCall, callWebhook, type PhoneSms } from "./deliver-sms.ts";
import { encodeSmsDelivery, type SmsDelivery, type SmsReply } from "./sms-delivery.ts";
import type { NewDelivery } from "../../store/callback-store.ts";

const server = "abcd1234" as ServerId;
const number: OwnedNumber = {
  id: "n",
  number: "+15550100",
  server,
  provider: "twilio",
  sealedSecrets: null,
  webhook: "http://app.test/in",
  createdAt: 0,
};
const inbound: SmsReply = {
  kind: "inbound",
  from: "+15550100",
  to: "+447700900123",
  text: "YES & no",
  id: "6d1b9d4e-0000-8000-8000-000000000000",
  server,
};

const account = { id: "AC1", key: null, secret: "token", apiUrl: null };
const secrets: NumberSecrets = { signing: "secret", account };

function setUp(
  changes: Partial<OwnedNumber> | null,
  opened: NumberSecrets | undefined = secrets,
): { added: NewDelivery[]; calls: WebhookCall[]; sent: PhoneSms[]; dependencies: SmsDependencies } {
  const added: NewDelivery[] = [];
  const calls: WebhookCall[] = [];
  const sent: PhoneSms[] = [];
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const addDeliveries = async (deliveries: readonly NewDelivery[]) => void added.push(...deliveries);
  const store = { phoneNumbers: { findPhoneNumber }, callbacks: { addDeliveries } };
  return {
    added,
    calls,
    sent,
    dependencies: {
      store: store as unknown as SmsDependencies["store"],
      openSecrets: () => opened,
      call: async (one) => void calls.push(one),
      send: async (one) => void sent.push(one),
      wakeCallbacks: () => undefined,
    },
  };
}

const entryOf = (content: SmsDelivery) => ({ id: "entry", at: 7, content: encodeSmsDelivery(content) });

test("hands replies to webhooks over to the callbacks, with the same id each time", async () => {
  const all = setUp({});
  await deliverSms(all.dependencies, entryOf(inbound));
  await deliverSms(all.dependencies, entryOf(inbound));
  const [one, other] = all.added;
  expect(one).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/) as string,
    server: decodeMessageId(inbound.id as MessageId).server,
    target: null,
    queue: "http://app.test",
    message: inbound.id,
    deliversMessage: true,
    dueAt: 7,
  });
  expect(other).toEqual(one);
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("sends through the provider with the account and calls no webhook", async () => {
  const all = setUp({ webhook: null });
  await deliverSms(all.dependencies, entryOf({ ...inbound, kind: "provider" }));
  const { from, to, text } = inbound;
  expect(all.sent).toMatchObject([{ provider: { name: "twilio" }, account, from, to, text }]);
  expect(all.calls).toEqual([]);
});

test.each<[string, Parameters<typeof setUp>]>([
  ["a deleted number", [null]],
  ["a number without its account", [{}, { signing: "secret", account: null }]],
])("fails permanently for %s", async (_name, parameters) => {
  const all = setUp(...parameters);
  await expect(deliverSms(all.dependencies, entryOf({ ...inbound, kind: "provider" }))).rejects.toMatchObject({
    verdict: "fail",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("retries while the secrets cannot be decrypted", async () => {
  const all = setUp({});
  const locked = { ...all.dependencies, openSecrets: () => undefined };
  await expect(deliverSms(locked, entryOf({ ...inbound, kind: "provider" }))).rejects.toMatchObject({
    verdict: "retry",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("makes status calls of older versions in order until the first failure", async () => {
  const seen: string[] = [];
  const call = async ({ url, body }: WebhookCall): Promise<void> => {
    seen.push(`${url} ${body}`);
    if (body === "two") throw new Error("down");
  };
  const calls = ["one", "two", "three"].map((body) => ({ body, headers: {} }));
  const content = entryOf({ kind: "status", url: "http://app.test/s", calls });
  await expect(deliverSms({ ...setUp(null).dependencies, call }, content)).rejects.toThrow("down");
  expect(seen).toEqual(["http://app.test/s one", "http://app.test/s two"]);
});

const rules = { policy: createTargetPolicy({ origins: [], allowsLoopback: true }) };

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook?x=1`;
}

test("posts the form unchanged, with the given header fields", async () => {
  const seen: unknown[] = [];
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      seen.push([request.method, request.url, request.headers["content-type"], request.headers["x-signed"], body]);
      return response.end("thanks");
    });
  });
  await callWebhook({ url, body: "a=b&c=%20", headers: { "x-signed": "yes" } }, rules);
  expect(seen).toEqual([["POST", "/hook?x=1", "application/x-www-form-urlencoded", "yes", "a=b&c=%20"]]);
});

test.each([
  [400, "fail"],
  [403, "fail"],
  [404, "fail"],
  [410, "fail"],
  [408, "retry"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
])("classifies status %i as %s", async (status, verdict) => {
  const url = await listen((_request, response) => response.writeHead(status).end());
  await expect(callWebhook({ url, body: "", headers: {} }, rules)).rejects.toMatchObject({ verdict });
});

test("does not follow redirects", async () => {
  let wasLedOn = false;
  const elsewhere = await listen((_request, response) => {
    wasLedOn = true;
    response.end();
  });
  const url = await listen((_request, response) => response.writeHead(307, { location: elsewhere }).end());
  await expect(callWebhook({ url, body: "", headers: {} }, rules)).rejects.toMatchObject({ verdict: "fail" });
  expect(wasLedOn).toBe(false);
});

test("does not read the body of the response", async () => {
  const url = await listen((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  });
  await callWebhook({ url, body: "", headers: {} }, rules);
});

test("ends requests that run when the service stops, for a later attempt", async () => {
  const closing = new AbortController();
  const url = await listen(() => {
    closing.abort();
  });
  const call = callWebhook({ url, body: "", headers: {} }, { ...rules, signal: closing.signal });
  await expect(call).rejects.toMatchObject({ verdict: "retry" });
});

test("retries when the webhook is unreachable or closes the connection, and omits the URL from the message", async () => {
  const hangsUp = await listen((request) => {
    request.socket.destroy();
  });
  for (const url of [hangsUp, "http://127.0.0.1:1/secret-path"]) {
    const call = callWebhook({ url, body: "", headers: {} }, rules);
    await expect(call).rejects.toMatchObject({ verdict: "retry", message: "The target could not be reached" });
  }
});
