import { EventGridDeserializer, isSystemEvent } from "@azure/eventgrid";
import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { sampleEvent, sampleEventMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import type { MailEvent } from "../callbacks.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import { isValidated, validationRequest } from "./event-grid.ts";
import { acsEvents } from "./event-webhook.ts";
import { acs } from "./provider.ts";
import { readCaller } from "./request.ts";

const mail = {
  senderAddress: "app@shop.example",
  recipients: { to: [{ address: "zoe@shop.example" }] },
  content: { subject: "Hello", plainText: "Hi" },
};
const host = "127.0.0.1:8025";
const version = "?api-version=2025-09-01";

async function post(
  memory: MemoryServices,
  value: object,
  { headers = {}, ...changes }: Partial<ProviderRequest> = {},
): Promise<ProviderResponse> {
  const path = "/emails:send";
  const fields = [["api-version", "2025-09-01"]] as const;
  const url = `http://${host}${path}${version}`;
  const request = jsonRequest(value, { key: validKey, path, url, fields, ...changes, headers: { host, ...headers } });
  return callEndpoint(acs, request, memory.services);
}

async function getOperation(memory: MemoryServices, id: string): Promise<ProviderResponse> {
  const path = `/emails/operations/${id}`;
  return callEndpoint(acs, jsonRequest({}, { key: validKey, method: "GET", path, params: { id } }), memory.services);
}

describe("the caller", () => {
  test.each([
    ["an Entra token", { authorization: "Bearer eyJ.a.b", host }, "eyJ.a.b"],
    [
      "HMAC",
      { authorization: "HMAC-SHA256 SignedHeaders=host&Signature=YQ==", host: "Shop.LOCAL" },
      "HMAC-SHA256 shop.local",
    ],
    ["Basic", { authorization: "Basic YTpi", host }, null],
    ["HMAC without a signature", { authorization: "HMAC-SHA256 SignedHeaders=host&Signature=", host }, null],
    ["nothing", { host }, null],
  ])("%s names the caller", (_kind, headers, key) => {
    expect(readCaller(headers)).toBe(key);
  });
});

describe("an operation", () => {
  test("is running, has a URL and a pause, and has succeeded when it is asked for", async () => {
    const memory = memoryServices();
    const sent = await post(memory, mail);
    const { id } = jsonOf(sent) as { readonly id: string };
    expect([sent.status, jsonOf(sent)]).toEqual([202, { id, status: "Running", error: null }]);
    expect(sent.headers).toEqual({
      "operation-location": `http://${host}/emails/operations/${id}${version}`,
      "retry-after": "1",
    });
    expect(memory.emails[0]?.providerId).toBe(id);
    const status = await getOperation(memory, id.toUpperCase());
    expect([status.status, jsonOf(status)]).toEqual([200, { id, status: "Succeeded", error: null }]);
  });

  test.each([
    [
      "an intercepted host",
      { host: "shop.europe.communication.azure.com" },
      "https://shop.europe.communication.azure.com",
    ],
    ["a redirected program", { host: "mailosaur.com" }, "https://resource.communication.azure.com"],
    ["another name of the service", { host: "localhost:8025" }, "http://localhost:8025"],
    ["no host", { host: undefined }, `http://${host}`],
  ])("has a URL for %s", async (_name, headers, origin) => {
    const { headers: own } = await post(memoryServices(), mail, { headers });
    expect(own?.["operation-location"]).toMatch(new RegExp(`^${RegExp.escape(origin)}/emails/operations/`));
  });

  test("has a URL with HTTPS for a caller that uses HTTPS, and with the path of the API", async () => {
    const url = `http://${host}/providers/acs/emails:send${version}`;
    const headers = { host: "localhost:8443" };
    const { headers: own } = await post(memoryServices(), mail, { url, headers, isEncrypted: true });
    expect(own?.["operation-location"]).toMatch(/^https:\/\/localhost:8443\/providers\/acs\/emails\/operations\//);
  });

  test("has the id that the caller chose, also in events, and sends once", async () => {
    const memory = memoryServices();
    const id = "5a3b1f4e-0c8e-4f0a-9b64-1f1f0a1b2c3d";
    const headers = { "operation-id": id.toUpperCase() };
    const [first, second] = [await post(memory, mail, { headers }), await post(memory, mail, { headers })];
    expect([jsonOf(first)["id"], jsonOf(second)["id"]]).toEqual([id, id]);
    expect(memory.emails.map(({ facts }) => facts.metadata)).toEqual([{ "Operation-Id": id }]);
    expect(jsonOf(await getOperation(memory, id))).toMatchObject({ id, status: "Succeeded" });
    const other = await post(memory, { ...mail, senderAddress: "b@shop.example" }, { headers });
    expect([other.status, jsonOf(other)["error"]]).toEqual([
      409,
      { code: "Conflict", message: "The id was used with another request.", target: "Operation-Id" },
    ]);
    expect(memory.emails).toHaveLength(1);
    const facts = { tags: [], metadata: { "Operation-Id": id }, template: null };
    const event = sampleEvent("delivered", { mail: sampleEventMail({ facts }) });
    expect(dataOf(event)).toMatchObject({ data: { messageId: id } });
  });

  test("is forgotten when its mail was refused", async () => {
    const id = "5a3b1f4e-0c8e-4f0a-9b64-1f1f0a1b2c3d";
    const memory = memoryServices({ refusal: "no_server" });
    const refused = await post(memory, mail, { headers: { "operation-id": id } });
    expect(refused.headers).toEqual({ "x-ms-error-code": "EmailDroppedAllRecipientsSuppressed" });
    expect((await getOperation(memory, id)).status).toBe(404);
  });

  test("repeats the response to a repeatable request, with its result", async () => {
    const memory = memoryServices();
    const headers = {
      "repeatability-request-id": "order-4711",
      "repeatability-first-sent": "Fri, 20 Nov 2026 10:42:07 GMT",
    };
    const [first, second] = [await post(memory, mail, { headers }), await post(memory, mail, { headers })];
    expect(second).toEqual(first);
    expect(first.headers?.["repeatability-result"]).toBe("accepted");
    expect(memory.emails).toHaveLength(1);
  });

  test("is a 404 when it does not exist", async () => {
    for (const id of ["0199aabb-ccdd-7eee-8fff-001122334455", "x", "a".repeat(5000)]) {
      const { status, headers } = await getOperation(memoryServices(), id);
      expect([status, headers]).toEqual([404, { "x-ms-error-code": "NotFound" }]);
    }
  });
});

test("skips invalid attachments and accepts repeated contentIds where the control fields ask for it, which the mail lacks", async () => {
  const memory = memoryServices();
  const file = { name: "a.txt", contentType: "text/plain", contentInBase64: "YQ==", contentId: "a" };
  const headers = {
    "x-ms-acsemail-suppress-invalid-attachment": "True",
    "X-MS-ACSEmail-Ignore-Duplicate-Content-Id": "true",
    "X-Order": "4711",
  };
  await post(memory, { ...mail, headers, attachments: [file, file, { ...file, contentInBase64: "?" }] });
  expect(memory.emails[0]?.content).toMatchObject({ headers: [["X-Order", "4711"]], attachments: [{}, {}] });
});

test("stores that engagement is not tracked", async () => {
  const memory = memoryServices();
  await post(memory, { ...mail, userEngagementTrackingDisabled: true });
  expect(memory.emails[0]?.facts.metadata).toEqual({ userEngagementTrackingDisabled: "true" });
});

describe("an SMS", () => {
  const send = async (memory: MemoryServices, value: object): Promise<ProviderResponse> =>
    post(memory, value, { path: "/sms", url: `http://${host}/sms` });
  const sms = { from: "+15550100", message: "Your code is 482913", smsSendOptions: { enableDeliveryReport: false } };

  test("has a result for each recipient", async () => {
    const memory = memoryServices();
    const smsRecipients = [{ to: "+447700900123" }, { to: "nobody" }];
    const { status, body } = await send(memory, { ...sms, smsRecipients });
    expect(status).toBe(202);
    expect(JSON.parse(body?.text ?? "")).toEqual({
      value: [
        {
          to: "+447700900123",
          messageId: expect.stringMatching(/^Outgoing_20261120104207[0-9a-f-]{36}$/) as string,
          httpStatusCode: 202,
          repeatabilityResult: "accepted",
          successful: true,
        },
        {
          to: "nobody",
          httpStatusCode: 400,
          repeatabilityResult: "rejected",
          errorMessage: "Invalid To phone number format.",
          successful: false,
        },
      ],
    });
    expect(memory.sms).toMatchObject([{ to: "+447700900123", metadata: {} }]);
  });

  test("is stored once for a repeatability id, which no other message may use", async () => {
    const memory = memoryServices();
    const smsRecipients = [{ to: "+447700900123", repeatabilityRequestId: "a1" }];
    const first = jsonOf(await send(memory, { ...sms, smsRecipients }));
    expect(jsonOf(await send(memory, { ...sms, smsRecipients }))).toEqual(first);
    expect(jsonOf(await send(memory, { ...sms, message: "Other", smsRecipients }))).toMatchObject({
      value: [{ httpStatusCode: 400, successful: false }],
    });
    const invalid = [{ to: "+447700900123", repeatabilityRequestId: "a b" }];
    expect(jsonOf(await send(memory, { ...sms, smsRecipients: invalid }))).toMatchObject({
      value: [{ errorMessage: "Invalid repeatabilityRequestId." }],
    });
    expect(memory.sms).toHaveLength(1);
  });

  test("needs from 1 to 100 recipients", async () => {
    const many = (count: number): object => ({
      ...sms,
      smsRecipients: Array.from({ length: count }, (_, at) => ({ to: `+4477009001${String(at).padStart(2, "0")}` })),
    });
    const statuses = [0, 1, 100, 101].map(async (count) => (await send(memoryServices(), many(count))).status);
    expect(await Promise.all(statuses)).toEqual([400, 202, 202, 400]);
  });
});

const secrets = { header: "X-Webhook-Key: 0123456789abcdef" };
const token = `7d1c7b1e3c554b7a9a610f3a2c9d8e10${"ab".repeat(64)}`;
const cloudEvents = { schema: "CloudEventSchemaV1_0" };

function textOf(event: MailEvent, options: Readonly<Record<string, string>> = {}): string {
  return Buffer.from(acsEvents.render([event], sampleSigning(secrets, { options })).body).toString("utf8");
}

function dataOf(event: MailEvent): unknown {
  return (JSON.parse(textOf(event)) as readonly unknown[])[0];
}

describe("events", () => {
  test.each([
    ["hard", "Bounced"],
    ["soft", "Failed"],
    ["blocked", "FilteredSpam"],
  ] as const)("report a %s bounce as %s", (bounce, status) => {
    expect(dataOf(sampleEvent("bounced", { details: { bounce } }))).toMatchObject({ data: { status } });
  });

  test("show the reason, and the instant with seven decimals", () => {
    const reason = "550 5.1.1 No such user";
    expect(dataOf(sampleEvent("bounced", { details: { reason } }))).toMatchObject({
      subject: "sender/app@shop.example/message/0199aabb-ccdd-7eee-8fff-001122334455",
      eventTime: "2026-11-20T10:42:06.9750000Z",
      data: {
        deliveryStatusDetails: { statusMessage: reason },
        deliveryAttemptTimeStamp: "2026-11-20T10:42:06.9750000Z",
      },
    });
  });

  test("show the link of a click only", () => {
    const details = { url: "https://shop.example/a", userAgent: "Reader/1.0" };
    const shown = (["opened", "clicked"] as const).map((type) => dataOf(sampleEvent(type, { details })));
    expect(shown).toMatchObject([
      { data: { engagementType: "view", engagementContext: "", userAgent: "Reader/1.0" } },
      { data: { engagementType: "click", engagementContext: "https://shop.example/a" } },
    ]);
  });

  test("are CloudEvents that the library of Event Grid reads, with the resource of the settings", async () => {
    const topic = "/subscriptions/1/resourceGroups/shop";
    const signing = sampleSigning(secrets, { options: { ...cloudEvents, topic } });
    const { headers, contentType, body } = acsEvents.render([sampleEvent("delivered")], signing);
    expect(contentType).toBe("application/cloudevents+json; charset=utf-8");
    expect(headers["webhook-request-origin"]).toBe("eventgrid.azure.net");
    const [event] = await new EventGridDeserializer().deserializeCloudEvents(Buffer.from(body).toString("utf8"));
    expect(event).toMatchObject({ source: topic, specversion: "1.0", data: { status: "Delivered" } });
    expect(event !== undefined && isSystemEvent("Microsoft.Communication.EmailDeliveryReportReceived", event)).toBe(
      true,
    );
  });
});

describe("the handshake", () => {
  test("is an event with a code and a URL, which the library of Event Grid reads", async () => {
    const { body, headers } = validationRequest(token, sampleSigning(secrets));
    expect(headers).toMatchObject({ "aeg-event-type": "SubscriptionValidation", "X-Webhook-Key": "0123456789abcdef" });
    const [event] = await new EventGridDeserializer().deserializeEventGridEvents(Buffer.from(body).toString("utf8"));
    if (event === undefined || !isSystemEvent("Microsoft.EventGrid.SubscriptionValidationEvent", event)) {
      throw new Error("not a validation event");
    }
    const { validationCode, validationUrl } = event.data;
    expect(validationUrl).toContain("/providers/acs/eventsubscriptions/restante/validate?id=");
    const answer = (status: number, code: unknown) => {
      return { status, headers: {}, body: Buffer.from(JSON.stringify({ validationResponse: code })) };
    };
    expect(isValidated(answer(200, validationCode), token)).toBe(true);
    expect(isValidated(answer(202, validationCode), token)).toBe(false);
    expect(isValidated(answer(200, validationCode.toLowerCase()), token)).toBe(false);
    expect(isValidated(answer(200, null), token)).toBe(false);
    expect(isValidated({ status: 200, headers: {}, body: Buffer.from("{") }, token)).toBe(false);
  });

  test("asks with OPTIONS for the origin, for CloudEvents", () => {
    const { method, headers, body, contentType } = validationRequest(
      token,
      sampleSigning(secrets, { options: cloudEvents }),
    );
    expect([method, contentType, body.byteLength]).toEqual(["OPTIONS", "", 0]);
    expect(headers).toMatchObject({
      "webhook-request-origin": "eventgrid.azure.net",
      "webhook-request-callback": expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:8025\/providers\/acs\/.*&token=7d1c/,
      ) as string,
    });
    const allowing = (origin: string) => {
      return isValidated({ status: 204, headers: { "webhook-allowed-origin": origin }, body: Buffer.alloc(0) }, token);
    };
    expect(["*", "EventGrid.azure.net", "example.com", ""].map(allowing)).toEqual([true, true, false, false]);
  });

  test("is needed unless the settings say otherwise", () => {
    const options = [{}, { validation: "required" }, { validation: "none" }];
    expect(options.map((one) => acsEvents.mustConfirm?.(one))).toEqual([true, true, false]);
  });

  test("accepts the URL of the event, and no other token", async () => {
    const path = "/eventsubscriptions/restante/validate";
    const { services } = memoryServices();
    const confirm = async (given: string) => (given === token ? { target: "1", options: {} } : null);
    const answers = [token, "x"].map(async (given) => {
      const request = jsonRequest(
        {},
        { method: "GET", path, params: { name: "restante" }, fields: [["token", given]] },
      );
      const subscriptions = { ...services.subscriptions, confirm };
      return (await callEndpoint(acs, request, { ...services, subscriptions })).status;
    });
    expect(await Promise.all(answers)).toEqual([200, 400]);
  });
});

describe("events about SMS", () => {
  const sms = {
    id: "0199aabb-ccdd-7eee-8fff-001122334455",
    providerId: "Outgoing_202611201042070199aabb-ccdd-7eee-8fff-001122334455",
    from: "+15550100",
    to: "+447700900123",
    text: "Ж".repeat(71),
    metadata: { enableDeliveryReport: "true", tag: "campaign" },
  };
  const event = { id: "3c0f2b9e-52a1-4a8f-9d65-7b1f0c1d2e3f", at: Date.UTC(2026, 10, 20, 10, 42, 7), sms };
  const read = (type: "delivered" | "received"): unknown => {
    const request = acsEvents.sms?.render({ ...event, type }, sampleSigning(secrets));
    return (JSON.parse(Buffer.from(request?.body ?? []).toString("utf8")) as readonly unknown[])[0];
  };

  test("report a delivery with its segments and tag", () => {
    expect(read("delivered")).toMatchObject({
      id: event.id,
      subject: "/phonenumber/15550100",
      eventType: "Microsoft.Communication.SMSDeliveryReportReceived",
      data: {
        messageId: sms.providerId,
        from: "15550100",
        to: "+447700900123",
        deliveryStatus: "Delivered",
        deliveryStatusDetails: "No error.",
        receivedTimestamp: "2026-11-20T10:42:07.0000000Z",
        deliveryAttempts: [{ segmentsSucceeded: 2, segmentsFailed: 0 }],
        tag: "campaign",
      },
    });
  });

  test("hand over an answer", () => {
    expect(read("received")).toMatchObject({
      subject: "/phonenumber/447700900123",
      eventType: "Microsoft.Communication.SMSReceived",
      data: { messageId: `Incoming_20261120104207${sms.id}`, to: "447700900123", message: sms.text, segmentCount: 2 },
    });
  });

  test("report only where the application asked for it", () => {
    const reported = [{}, { enableDeliveryReport: "true" }].map((metadata) =>
      acsEvents.sms?.isReported({ ...sms, metadata }),
    );
    expect(reported).toEqual([false, true]);
  });
});
