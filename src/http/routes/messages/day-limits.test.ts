/** Daily limits apply to every way by which a message is stored. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message } from "../../../core/message.ts";
import type { WireError } from "../../wire/error-schema.ts";
import type { FormFields } from "../../../core/read-form.ts";
import { writeForm } from "../../../providers/formats/form.ts";
import { signTwilioRequest } from "../../../providers/twilio/message.ts";
import { withVonageSignature } from "../../../providers/vonage/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
const twilioNumber = "+15550100";
const vonageNumber = "+15550101";
const phone = "+447700900123";

beforeEach(async () => {
  api = await openHttpTestServer({ limits: { emailCountPerDayMax: 3, smsCountPerDayMax: 3 } });
  server = await api.addServer();
  for (const [number, provider] of [
    [twilioNumber, "twilio"],
    [vonageNumber, "vonage"],
  ] as const) {
    const body = { number, provider, server: server.id, secret: "secret", webhook: "http://app.test/in" };
    await api.ask("POST /api/phone-numbers", { body });
  }
});
afterEach(async () => api[Symbol.asyncDispose]());

const post = (path: string, fields: FormFields, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  api.ask(`POST ${path}`, {
    body: writeForm(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
const countOf = async (dir: "Sent" | "Received"): Promise<number> =>
  (await api.ask(`GET /api/messages?server=${server.id}&dir=${dir}`)).json<unknown[]>().length;
const countAll = async (): Promise<number> => (await countOf("Sent")) + (await countOf("Received"));
const text = (): Promise<Reply> =>
  api.ask("POST /api/sms", { body: { from: phone, to: twilioNumber, text: "Reply YES" } });

interface Way {
  /** Stores a message in this way; `id` is a message of the limited kind. */
  readonly ask: (id: string) => Promise<Reply>;
  /** Returns how the rejection appears in the format of the interface. */
  readonly rejection: object;
  readonly status: number;
}

const ours = { status: 429, rejection: { type: "LimitReached", status: 429, errors: [] } };
const inbox = (): string => `x@${server.id}.restante.test`;

const mailWays: Readonly<Record<string, Way>> = {
  "a placed mail": {
    ...ours,
    ask: () => api.ask(`POST /api/messages?server=${server.id}`, { body: { to: "a@b.example", text: "x" } }),
  },
  "a sample": { ...ours, ask: () => api.ask(`POST /api/messages?server=${server.id}`, { body: {} }) },
  "a sent mail": {
    ...ours,
    ask: () =>
      api.ask(`POST /api/messages?server=${server.id}`, {
        body: { to: "friend@outside.example", text: "x", send: true },
      }),
  },
  "a reply": { ...ours, ask: (id) => api.ask(`POST /api/messages/${id}/reply`, { body: { text: "x" } }) },
  "a forward": {
    ...ours,
    ask: (id) => api.ask(`POST /api/messages/${id}/forward`, { body: { to: "friend@outside.example" } }),
  },
  "a bounce": { ...ours, ask: (id) => api.ask(`POST /api/messages/${id}/bounce`, { body: {} }) },
  "a complaint": { ...ours, ask: (id) => api.ask(`POST /api/messages/${id}/complaint`, { body: {} }) },
  "an automatic reply": { ...ours, ask: (id) => api.ask(`POST /api/messages/${id}/autoreply`, { body: {} }) },
};

const smsWays: Readonly<Record<string, Way>> = {
  "an SMS by POST /api/sms": { ...ours, ask: text },
  "a reply to an SMS": { ...ours, ask: (id) => api.ask(`POST /api/messages/${id}/reply`, { body: { text: "YES" } }) },
  "an inbound SMS from Twilio": {
    ...ours,
    ask: () => {
      const form = Object.entries({ MessageSid: "SM1", From: phone, To: twilioNumber, Body: "x" });
      const signature = signTwilioRequest({ url: "http://localhost/api/sms/twilio", form }, "secret");
      return post("/api/sms/twilio", form, { "x-twilio-signature": signature });
    },
  },
  "an inbound SMS from Vonage": {
    ...ours,
    ask: () => {
      const form = Object.entries({ messageId: "1", msisdn: phone.slice(1), to: vonageNumber.slice(1), text: "x" });
      return post("/api/sms/vonage", withVonageSignature(form, "secret", api.clock.now()));
    },
  },
  "an SMS by Twilio's send request": {
    status: 429,
    rejection: { code: 20429, status: 429 },
    ask: () =>
      post("/2010-04-01/Accounts/AC1/Messages.json", Object.entries({ From: "App", To: twilioNumber, Body: "x" })),
  },
  "an SMS by Vonage's send request": {
    status: 200,
    rejection: { messages: [{ status: "1" }] },
    ask: () =>
      post(
        "/sms/json",
        Object.entries({
          api_key: "k",
          api_secret: api.accountKey,
          from: "App",
          to: twilioNumber.slice(1),
          text: "x",
        }),
      ),
  },
};

function wayOf(ways: Readonly<Record<string, Way>>, name: string): Way {
  const way = ways[name];
  if (way === undefined) throw new Error(`no way ${name}`);
  return way;
}

async function expectLimit({ ask, rejection, status }: Way, id: string): Promise<void> {
  expect((await ask(id)).statusCode).toBeLessThan(300);
  const before = await countAll();
  const rejected = await ask(id);
  expect(rejected.statusCode).toBe(status);
  expect(rejected.json<WireError>()).toMatchObject(rejection);
  if (rejection === ours.rejection) expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
  expect(await countAll()).toBe(before);
}

test.each(Object.keys(mailWays))("mail: %s stores the last one of the day, and one more is rejected", async (name) => {
  const id = await api.deliver(server, { from: "friend@outside.example" });
  await api.deliver(server);
  await expectLimit(wayOf(mailWays, name), id);
});

test.each(Object.keys(smsWays))("SMS: %s stores the last one of the day, and one more is rejected", async (name) => {
  const { id } = (await text()).json<Message>();
  await text();
  const way = wayOf(smsWays, name);
  const isRepeat = name.includes("inbound");
  if (!isRepeat) await expectLimit(way, id);
  else {
    expect((await way.ask(id)).statusCode).toBeLessThan(300);
    // Messages that are stored already do not count.
    expect((await way.ask(id)).statusCode).toBeLessThan(300);
    expect((await text()).statusCode).toBe(429);
    expect(await countAll()).toBe(3);
  }
});

test("a mail to an own server counts once as sent and once as received", async () => {
  await api.deliver(server);
  await api.deliver(server);
  const body = { to: inbox(), text: "x", send: true };
  const rejected = await api.ask(`POST /api/messages?server=${server.id}`, { body });
  expect([rejected.statusCode, await countOf("Sent"), await countOf("Received")]).toEqual([429, 0, 2]);
});

test("an inbound SMS beyond the daily limit is rejected so that the provider retries", async () => {
  for (let count = 0; count < 3; count += 1) await text();
  for (const name of ["an inbound SMS from Twilio", "an inbound SMS from Vonage"]) {
    expect((await wayOf(smsWays, name).ask("")).statusCode).toBe(429);
  }
  api.clock.advance(24 * 3_600_000);
  expect((await wayOf(smsWays, "an inbound SMS from Twilio").ask("")).statusCode).toBe(200);
});
