import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readBody } from "node:stream/consumers";
import fc from "fast-check";
import twilio from "twilio";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { readForm, type FormFields } from "../../core/read-form.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { fieldOf, writeForm } from "../formats/form.ts";
import type { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import {
  readTwilioInbound,
  twilioInbound,
  writeTwilioInbound,
  twilioMessageResource,
  twilioSid,
  twilioStatusCallback,
  twilioStatusCalls,
  type TwilioMessage,
} from "./message.ts";
import { readTwilioList, readTwilioSend } from "./request.ts";

/** Text of any UTF-16 units, including lone surrogates. */
const anyText = fc.array(fc.nat({ max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units));

const accountSid = `AC${"a".repeat(32)}`;
const message: TwilioMessage = {
  sid: twilioSid("SM", "0199aabb-ccdd-8eee-8fff-001122334455"),
  accountSid,
  from: "+15550100",
  to: "+447700900123",
  text: "Your code is 482913 €",
  createdAt: Date.UTC(2026, 10, 20, 10, 42, 7),
  status: "queued",
  messagingServiceSid: null,
  channel: null,
  media: [],
};
const send = (changes: Readonly<Record<string, string | null>>): FormFields => {
  const base = { To: message.to, From: message.from, Body: "hi", ...changes };
  return Object.entries(base).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
};

describe("readTwilioInbound", () => {
  test("returns sender, recipient, text and the provider's id", () => {
    const form = readForm("MessageSid=SM1&From=%2B15550100&To=%2B447700900123&Body=a%0Ab+%26%E2%82%AC&NumMedia=0");
    expect(readTwilioInbound(form)).toEqual({
      from: "+15550100",
      to: "+447700900123",
      text: "a\nb &€",
      providerId: "SM1",
    });
    expect(readTwilioInbound(readForm("From=1&To=2"))).toEqual({ from: "1", to: "2", text: "", providerId: null });
  });

  test.each([
    ["To=2", "From"],
    ["From=1&To=", "To"],
  ])("throws for %j and names the missing field", (body, field) => {
    expect(() => readTwilioInbound(readForm(body))).toThrow(Problem);
    try {
      readTwilioInbound(readForm(body));
    } catch (error) {
      expect((error as Problem).fields.map((one) => one.field)).toEqual([field]);
    }
  });

  test("decodes what writeTwilioInbound encoded, for any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const form = readForm(writeForm(writeTwilioInbound({ ...message, text })));
        const { from, to, sid: providerId } = message;
        expect(readTwilioInbound(form)).toEqual({ from, to, providerId, text: text.toWellFormed() });
        expect(fieldOf(form, "AccountSid")).toBe(accountSid);
      }),
    );
    expect(twilioInbound.accepted.body?.text).toContain("<Response></Response>");
  });
});

const context = { method: "POST", path: "/", headers: {} } as const;

/** Returns the response of `respond`, or that of the error it throws. */
function responseOf(respond: () => unknown): ProviderResponse {
  try {
    return respond() as ProviderResponse;
  } catch (error) {
    return (error as Rejection).respond(context);
  }
}

describe("readTwilioSend", () => {
  test("returns the number in E.164", () => {
    const form = send({ To: "+44 7700 900123", From: "Acme", StatusCallback: "https://app.example/sms?x=1" });
    expect(readTwilioSend(form)).toEqual({
      channel: null,
      content: null,
      facts: {},
      mediaUrls: [],
      to: "+447700900123",
      from: "Acme",
      messagingServiceSid: null,
      text: "hi",
      statusCallback: "https://app.example/sms?x=1",
    });
    expect(readTwilioSend(send({ From: null, MessagingServiceSid: "MG1" }))).toMatchObject({
      from: "MG1",
      messagingServiceSid: "MG1",
    });
    expect(readTwilioSend(send({ Body: "x".repeat(1600) }))).toMatchObject({ text: "x".repeat(1600) });
    expect(readTwilioSend(send({ Body: null, MediaUrl: "https://x/cat.png" }))).toMatchObject({ text: "" });
    expect(readTwilioSend(send({ From: "+15005550006" }))).toMatchObject({ from: "+15005550006" });
  });

  test.each([
    [{ To: null }, 21604],
    [{ From: null }, 21603],
    [{ To: "12345" }, 21211],
    [{ To: "+15005550001x" }, 21211],
    [{ From: "not a sender id" }, 21212],
    [{ Body: null }, 21602],
    [{ Body: "" }, 21602],
    [{ Body: "x".repeat(1601) }, 21617],
    [{ StatusCallback: "ftp://x" }, 21609],
    [{ StatusCallback: "/relative" }, 21609],
    [{ To: "+15005550001" }, 21211],
    [{ To: "+15005550002" }, 21612],
    [{ To: "+15005550003" }, 21408],
    [{ To: "+15005550004" }, 21610],
    [{ To: "+1 500 555 0009" }, 21614],
    [{ From: "+15005550001" }, 21212],
    [{ From: "+15005550007", To: "+15005550004" }, 21606],
    [{ From: "+15005550008" }, 21611],
  ])("rejects %j with %i", (changes, code) => {
    const response = responseOf(() => readTwilioSend(send(changes)));
    expect(response.status).toBe(code === 21611 ? 429 : 400);
    expect(jsonOf(response)).toMatchObject({
      code,
      status: response.status,
      more_info: `https://www.twilio.com/docs/errors/${code}`,
    });
  });

  test("throws nothing but Twilio's errors", () => {
    const names = fc.constantFrom("To", "From", "Body", "MessagingServiceSid", "StatusCallback");
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.string())), (form) => {
        try {
          readTwilioSend(form);
        } catch (error) {
          expect((error as Rejection).failure).toMatchObject({ message: expect.not.stringMatching(/%$|^$/) as string });
        }
      }),
    );
  });
});

test("an error quotes at most 100 characters of the value, literally", () => {
  expect(rejection(21211, "$&x").message).toBe("The 'To' number $&x is not a valid phone number.");
  expect(rejection(21211, "9".repeat(200)).message).toContain(` ${"9".repeat(100)} `);
  expect(jsonOf(rejection(20003).respond(context))).toEqual({
    code: 20003,
    message: "Authenticate",
    more_info: "https://www.twilio.com/docs/errors/20003",
    status: 401,
  });
});

test("status callbacks report queued, sent and delivered", () => {
  const calls = twilioStatusCalls(message, "https://app.example/status", "token");
  expect(calls.map(({ body }) => fieldOf(readForm(body), "MessageStatus"))).toEqual(["queued", "sent", "delivered"]);
  const form = twilioStatusCallback({ ...message, status: "delivered", messagingServiceSid: "MG1" });
  expect(Object.fromEntries(form)).toEqual({
    SmsSid: message.sid,
    SmsStatus: "delivered",
    MessageStatus: "delivered",
    To: message.to,
    MessageSid: message.sid,
    AccountSid: accountSid,
    From: message.from,
    ApiVersion: "2010-04-01",
    MessagingServiceSid: "MG1",
  });
});

describe("readTwilioList", () => {
  test.each([
    ["DateSent=2026-11-20", Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 21)],
    ["DateSent=2026-11-20T10%3A42%3A07Z", Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 21)],
    ["DateSent%3E=2026-11-20T10%3A42%3A07Z", Date.UTC(2026, 10, 20, 10, 42, 7), null],
    ["DateSent%3C=2026-11-20+10%3A42", null, Date.UTC(2026, 10, 20, 10, 42)],
    ["DateSent=yesterday", null, null],
    ["DateSent=2026-13-40", null, null],
  ])("decodes the period of %s", (query, since, before) => {
    expect(readTwilioList(readForm(query))).toMatchObject({ since, before, page: 0, itemsPerPage: 50 });
  });
});

describe("Twilio's own library", () => {
  const answerSend = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = readForm(await readBody(request));
    const { status, body } = responseOf(() =>
      jsonResponse(201, twilioMessageResource({ ...message, ...readTwilioSend(form) })),
    );
    response.writeHead(status, { "content-type": "application/json" }).end(body?.text);
  };
  const withService = async (use: (client: twilio.Twilio) => Promise<void>): Promise<void> => {
    const server = createServer((request, response) => {
      void answerSend(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const client = twilio(accountSid, "token");
    client.api.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await use(client);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };

  test("sends and parses the response with another base URL", async () => {
    await withService(async (client) => {
      const sent = await client.messages.create({ to: message.to, from: message.from, body: message.text });
      expect(sent).toMatchObject({
        sid: message.sid,
        accountSid,
        status: "queued",
        direction: "outbound-api",
        body: message.text,
        from: message.from,
        to: message.to,
        numSegments: "1",
        errorCode: null,
        dateCreated: new Date(message.createdAt),
        dateSent: null,
        apiVersion: "2010-04-01",
        uri: `/2010-04-01/Accounts/${accountSid}/Messages/${message.sid}.json`,
      });
    });
  });

  test("throws Twilio's error", async () => {
    await withService(async (client) => {
      const refused: unknown = await client.messages
        .create({ to: "nobody", from: message.from, body: "x" })
        .catch((e: unknown) => e);
      expect(refused).toBeInstanceOf(twilio.RestException);
      expect(refused).toMatchObject({
        status: 400,
        code: 21211,
        message: "The 'To' number nobody is not a valid phone number.",
        moreInfo: "https://www.twilio.com/docs/errors/21211",
      });
    });
  });
});
