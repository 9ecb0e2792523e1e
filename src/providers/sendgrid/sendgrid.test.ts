import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import type { ProviderResponse } from "../provider.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { minimalSample } from "../conformance/sample-emails.test-aid.ts";
import {
  memoryServices,
  startInstant,
  validKey,
  type KeptEmail,
  type MemoryServices,
} from "../conformance/services.test-aid.ts";
import type { SendGridError } from "./errors.ts";
import { sendgrid } from "./provider.ts";
import { apiRequest, sendBody } from "./samples.test-aid.ts";

type Members = Readonly<Record<string, unknown>>;
const key = validKey;
const valid = sendBody(minimalSample);
const help = "http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html";

async function send(changes: Members, memory: MemoryServices = memoryServices()) {
  const request = apiRequest("/v3/mail/send", { ...valid, ...changes }, { key });
  return { response: await callEndpoint(sendgrid, request, memory.services), memory };
}

const errorsOf = (response: ProviderResponse): readonly SendGridError[] =>
  jsonOf(response)["errors"] as readonly SendGridError[];

function draftOf({ content }: KeptEmail): EmailDraft {
  if (content instanceof Uint8Array) throw new Error("a whole mail");
  return content;
}

const to = (...addresses: readonly string[]): unknown => addresses.map((email) => ({ email }));

describe("responses", () => {
  test("responds with 202, no body and an id of 22 characters, which is also the Message-ID", async () => {
    const { response, memory } = await send({});
    const id = response.headers?.["X-Message-Id"] ?? "";
    expect(response).toEqual({ status: 202, headers: { "X-Message-Id": id }, body: null });
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(memory.emails[0]).toMatchObject({ providerId: id, messageId: `<${id}@geopod-ismtpd-1>` });
  });

  test("responds with 200 in sandbox mode after checking the mail", async () => {
    const mail_settings = { sandbox_mode: { enable: true } };
    expect((await send({ mail_settings })).response).toEqual({ status: 200, body: null });
    expect((await send({ mail_settings, from: {} })).response.status).toBe(400);
    const wrong = await send({ mail_settings: { sandbox_mode: { enable: "true" } } });
    expect(errorsOf(wrong.response)[0]).toMatchObject({ field: "mail_settings.sandbox_mode.enable" });
  });

  test.each([
    ["no key", {}, "authorization required"],
    ["a wrong key", { authorization: "Bearer x" }, "The provided authorization grant is invalid, expired, or revoked"],
  ])("responds to %s with 401", async (_name, headers, message) => {
    const request = { ...apiRequest("/v3/mail/send", valid), headers };
    const response = await callEndpoint(sendgrid, request, memoryServices().services);
    expect([response.status, jsonOf(response)]).toEqual([401, { errors: [{ message, field: null, help: null }] }]);
  });

  test("has a body for failures of the service in its own shape", () => {
    const bodyOf = (path: string): Members =>
      jsonOf(sendgrid.errorResponse(new Problem("internal"), { method: "POST", path, headers: {} }));
    const message = "internal server error";
    expect(bodyOf("/v3/mail/send")).toEqual({ errors: [{ message, field: null, help: null }] });
    expect(bodyOf("/v3/templates")).toEqual({ errors: [{ field: null, message }] });
    const full = new Problem("storage_full");
    expect(jsonOf(sendgrid.errorResponse(full, { method: "POST", path: "/v3/mail/send", headers: {} }))).toEqual({
      errors: [{ message: "The disk is full; nothing was stored", field: null, help: null }],
    });
  });

  test("responds with 415 to another media type and to bytes that are not UTF-8", async () => {
    const request = apiRequest("/v3/mail/send", valid, { key });
    const { services } = memoryServices();
    const plain = { ...request, headers: { ...request.headers, "content-type": "text/plain" } };
    expect((await callEndpoint(sendgrid, plain, services)).status).toBe(415);
    const latin1 = { ...request, body: Buffer.from('{"a":"é"}', "latin1") };
    const json = { ...latin1, headers: { "content-type": "application/json" } };
    const response = await callEndpoint(sendgrid, json, services);
    expect([response.status, errorsOf(response)[0]?.message]).toEqual([415, "Invalid UTF8 in request"]);
  });
});

describe("personalizations", () => {
  test("makes one mail of each, all with ids that begin with the first one", async () => {
    const { response, memory } = await send({
      personalizations: [
        { to: to("a@x.example"), subject: "A", custom_args: { b: "own" }, headers: { "x-own": "1", "X-B": "2" } },
        { to: to("b@x.example"), cc: to("c@x.example"), bcc: to("d@x.example"), from: { email: "other@app.example" } },
      ],
      subject: "Global",
      custom_args: { a: "global", b: "global" },
      headers: { "x-b": "1" },
    });
    const id = response.headers?.["X-Message-Id"];
    const [first, second] = memory.emails as [KeptEmail, KeptEmail];
    expect([first.providerId, second.providerId.split(".")[0]]).toEqual([id, id]);
    expect(sendgrid.email?.uuidOf(second.providerId)).toBe(second.uuid);
    expect([first.facts.metadata, second.facts.metadata]).toEqual([
      { a: "global", b: "own" },
      { a: "global", b: "global" },
    ]);
    expect(draftOf(first)).toMatchObject({
      subject: "A",
      headers: [
        ["X-B", "2"],
        ["x-own", "1"],
      ],
    });
    expect(draftOf(second)).toMatchObject({
      subject: "Global",
      headers: [["x-b", "1"]],
      from: { address: "other@app.example" },
    });
    expect([second.mailFrom, second.recipients]).toEqual([
      "other@app.example",
      ["b@x.example", "c@x.example", "d@x.example"],
    ]);
  });

  test("replaces substitutions in subject, bodies and the name of reply_to", async () => {
    const { memory } = await send({
      personalizations: [{ to: to("a@x.example"), substitutions: { "-name-": "Zoë", "-code-": "-section-" } }],
      sections: { "-section-": "482913" },
      subject: "Hi -name-",
      content: [{ type: "text/plain", value: "-name-: -code- $& -name-" }],
      reply_to: { email: "r@app.example", name: "For -name-" },
    });
    expect(draftOf(memory.emails[0] as KeptEmail)).toMatchObject({
      subject: "Hi Zoë",
      text: "Zoë: 482913 $& Zoë",
      replyTo: [{ name: "For Zoë", address: "r@app.example" }],
    });
  });

  test("rejects more composed bytes than the limit, and substitutions that grow beyond it", async () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({ to: to(`a${at}@x.example`) }));
    const value = "x".repeat(80_000);
    const content = [{ type: "text/plain", value }];
    const tooLarge = await send({ personalizations: many, content });
    expect([tooLarge.response.status, tooLarge.memory.emails.length]).toEqual([413, 0]);
    // Each tag costs time in each mail, also in short bodies.
    const sections = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`-${at}-`, "x"]));
    const tagged = await send({ personalizations: many, sections });
    expect([tagged.response.status, tagged.memory.emails.length]).toEqual([413, 0]);
    const grown = await send({
      personalizations: [{ to: to("a@x.example"), substitutions: { x: "y".repeat(9000) } }],
      content,
    });
    expect([grown.response.status, grown.memory.emails.length]).toEqual([413, 0]);
  });

  test("schedules at the instant of the personalization, else at the global one", async () => {
    const seconds = startInstant / 1000;
    const { memory } = await send({
      send_at: seconds + 60,
      personalizations: [
        { to: to("a@x.example"), send_at: seconds + 72 * 3600 },
        { to: to("b@x.example") },
        { to: to("c@x.example"), send_at: seconds - 1 },
      ],
    });
    const sendAt = [startInstant + 72 * 3_600_000, startInstant + 60_000, null];
    expect(memory.emails.map((one) => one.sendAt)).toEqual(sendAt);
  });
});

describe("errors", () => {
  const personalization = (changes: Members): Members => ({
    personalizations: [{ to: to("a@x.example"), ...changes }],
  });
  const attachment = (changes: Members): Members => ({
    attachments: [{ content: "YQ==", filename: "a.txt", ...changes }],
  });
  const type = (value: string): Members => ({ type: value, value: "x" });
  test.each<[Members, string, RegExp, string | null]>([
    [{ from: { email: "x" } }, "from.email", /^The from email does not contain a valid address\.$/, "message.from"],
    [{ personalizations: [null] }, "personalizations.0", /^Invalid type\. Expected: object, given: null\.$/, null],
    [
      { personalizations: [{ to: ["a@b"] }] },
      "personalizations.0.to.0",
      /given: string/,
      "message.personalizations.to",
    ],
    [
      { personalizations: [{ to: [{}] }] },
      "personalizations.0.to.0.email",
      /^The to email parameter is required\.$/,
      "message.personalizations.to",
    ],
    [personalization({ cc: [] }), "personalizations.0.cc", /^The cc array, when used/, "message.personalizations.cc"],
    [
      personalization({ cc: to("A@x.example") }),
      "personalizations.0",
      /duplicate instance of \[A@x\.example\] in the personalizations\.0\.cc field\.$/,
      "message.recipient-errors",
    ],
    [
      personalization({ from: { email: "a@other.example" } }),
      "personalizations.0.from",
      /domain/,
      "message.personalizations.from",
    ],
    [
      personalization({ custom_args: { a: 1 } }),
      "personalizations.0.custom_args",
      /must be strings$/,
      "message.personalizations.custom_args",
    ],
    [
      personalization({ custom_args: { a: { toString: null, valueOf: null } } }),
      "personalizations.0.custom_args",
      /must be strings$/,
      "message.personalizations.custom_args",
    ],
    [
      personalization({ custom_args: { a: "x".repeat(10_000) } }),
      "personalizations.0.custom_args",
      /10,000 bytes/,
      "message.personalizations.custom_args",
    ],
    [
      personalization({ substitutions: { a: "x".repeat(10_000) } }),
      "personalizations.0.substitutions",
      /10,000/,
      "message.personalizations.substitutions",
    ],
    [
      personalization({ subject: "" }),
      "personalizations.0.subject",
      /at least one character/,
      "message.personalizations.subject",
    ],
    [{ subject: undefined }, "subject", /^The subject is required\./, "message.subject"],
    [{ send_at: "soon" }, "send_at", /Unix timestamp/, "message.send_at"],
    [{ send_at: startInstant / 1000 + 72 * 3600 + 1 }, "send_at", /72 hours/, "message.send_at"],
    [{ headers: { "Reply-To": "a" } }, "headers", /reserved/, "message.headers"],
    [{ headers: { "X A": "a" } }, "headers", /non-ASCII/, "message.headers"],
    [{ headers: { "X-A": 1 } }, "headers", /strings/, "message.headers"],
    [
      { headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`X-${at}`, "a"])) },
      "headers",
      /100 headers/,
      "message.headers",
    ],
    [{ custom_args: { a: "x".repeat(10_000) } }, "custom_args", /10,000 bytes/, "message.custom_args"],
    [{ content: {} }, "content", /^Invalid type\. Expected: array, given: object\.$/, "message.content"],
    [
      { content: [{ type: "text/plain", value: "" }] },
      "content.0.value",
      /at least one character/,
      "message.content.value",
    ],
    [{ content: [type("text/html"), type("text/plain")] }, "content", /RFC 1341/, "message.content"],
    [{ content: [type("text/plain"), type("text/plain")] }, "content", /only be provided once/, null],
    [attachment({ content: "YQ==\n" }), "attachments.0.content", /base64/, "message.attachments.content"],
    [attachment({ filename: undefined }), "attachments.0.filename", /required/, "message.attachments.filename"],
    [
      attachment({ disposition: "x" }),
      "attachments.0.disposition",
      /You provided x\./,
      "message.attachments.disposition",
    ],
    [attachment({ type: "a;b" }), "attachments.0.type", /CRLF/, "message.attachments.type"],
    [
      { template_id: "welcome" },
      "template_id",
      /^The template_id must be a valid GUID, you provided 'welcome'\.$/,
      "message.template_id",
    ],
    [
      { template_id: "d-1", ...personalization({ substitutions: { a: "b" } }) },
      "personalizations.0.substitutions",
      /^Substitutions may not be used with dynamic templating$/,
      "message.personalizations.substitutions",
    ],
    [
      { categories: Array.from({ length: 11 }, String) },
      "categories",
      /You provided 11 categories/,
      "message.categories",
    ],
    [{ categories: ["a", "a"] }, "categories", /more than once/, "message.categories"],
    [{ categories: ["ä"] }, "categories", /non-ASCII/, "message.categories"],
    [{ asm: { group_id: "1" } }, "asm.group_id", /integer/, "message.asm.group_id"],
    [{ batch_id: "unknown" }, "batch_id", /batch_id/, "message.batch_id"],
    [
      { reply_to: { email: "a@b.example" }, reply_to_list: [{ email: "c@d.example" }] },
      "reply_to_list",
      /not both/,
      "message.reply_to_list",
    ],
    [
      { tracking_settings: { click_tracking: { enable: 1 } } },
      "tracking_settings.click_tracking.enable",
      /boolean/,
      "message.tracking_settings.click_tracking.enable",
    ],
  ])("rejects %j at %s", async (...[changes, field, message, anchor]) => {
    const { response, memory } = await send(changes);
    expect(response.status).toBe(400);
    expect(errorsOf(response)[0]).toEqual({
      message: expect.stringMatching(message) as string,
      field,
      help: anchor === null ? null : `${help}#${anchor}`,
    });
    expect(memory.emails).toEqual([]);
  });

  test("reports all errors at once, from first", async () => {
    const { response } = await send({ from: { email: "x" }, personalizations: [{ to: to("nobody") }], content: [] });
    expect(errorsOf(response).map(({ field }) => field)).toEqual([
      "from.email",
      "personalizations.0.to.0.email",
      "content",
    ]);
  });

  test("accepts settings without an effect, and appends the footer", async () => {
    const { response, memory } = await send({
      asm: { group_id: 1, groups_to_display: [1, 2] },
      ip_pool_name: "pool",
      tracking_settings: { click_tracking: { enable: true, enable_text: false }, open_tracking: { enable: true } },
      mail_settings: {
        footer: { enable: true, text: "Bye", html: "<p>Bye</p>" },
        bypass_list_management: { enable: true },
      },
      content: [type("text/plain"), { type: "text/html", value: "<html><body>x</body></html>" }],
    });
    expect(response.status).toBe(202);
    expect(draftOf(memory.emails[0] as KeptEmail)).toMatchObject({
      text: "x\nBye",
      html: "<html><body>x<p>Bye</p></body></html>",
    });
  });
});
