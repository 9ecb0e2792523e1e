import { describe, expect, test } from "vitest";
import { readForm } from "../core/read-form.ts";
import { twilioSendApi } from "./twilio/send.ts";
import { vonageSendApi } from "./vonage/send.ts";

const account = { id: "AC1", key: null, secret: "s3:cr3t", apiUrl: null };
const text = { from: "+15550100", to: "+447700900123", text: "YES & no" };
const basic = (header: string | undefined): string => Buffer.from(header?.split(" ")[1] ?? "", "base64").toString();

describe("twilioSendApi", () => {
  test("requests with a form and the token of the account", () => {
    const call = twilioSendApi.request(account, text);
    expect(call.url).toBe("https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json");
    expect(Object.fromEntries(readForm(call.body))).toEqual({ From: text.from, To: text.to, Body: text.text });
    expect(basic(call.headers["authorization"])).toBe("AC1:s3:cr3t");
  });

  test("requests another base URL with an API key of the account", () => {
    const call = twilioSendApi.request({ ...account, key: "SK1", apiUrl: "https://api.dublin.ie1.twilio.com" }, text);
    expect(call.url).toBe("https://api.dublin.ie1.twilio.com/2010-04-01/Accounts/AC1/Messages.json");
    expect(basic(call.headers["authorization"])).toBe("SK1:s3:cr3t");
  });

  test.each([
    [201, '{"sid":"SM1","status":"queued"}', null],
    [
      400,
      '{"code":21610,"message":"Attempt to send to unsubscribed recipient"}',
      [false, "Twilio responded with status 400, code 21610"],
    ],
    [404, "not json", [false, "Twilio responded with status 404"]],
    [400, '{"code":"<secret>","message":"x"}', [false, "Twilio responded with status 400"]],
    [302, "", [false, "Twilio responded with status 302"]],
    [401, '{"code":20003,"message":"Authenticate"}', [true, "Twilio responded with status 401, code 20003"]],
    [429, '{"code":20429}', [true, "Twilio responded with status 429, code 20429"]],
    [503, "", [true, "Twilio responded with status 503"]],
  ] as const)("classifies %i %s as %j", (status, body, expected) => {
    const refusal = twilioSendApi.readFailure({ status, body });
    expect(refusal === null ? null : [refusal.isTemporary, refusal.text]).toEqual(expected);
  });
});

describe("vonageSendApi", () => {
  test("requests with the key and secret of the account and numbers without +", () => {
    const call = vonageSendApi.request({ ...account, id: "key1" }, text);
    expect(call.url).toBe("https://rest.nexmo.com/sms/json");
    expect(Object.fromEntries(readForm(call.body))).toEqual({
      api_key: "key1",
      api_secret: "s3:cr3t",
      from: "15550100",
      to: "447700900123",
      text: "YES & no",
      type: "text",
    });
    const unicode = vonageSendApi.request({ ...account, apiUrl: "http://127.0.0.1:1" }, { ...text, text: "да" });
    expect([unicode.url, Object.fromEntries(readForm(unicode.body))["type"]]).toEqual([
      "http://127.0.0.1:1/sms/json",
      "unicode",
    ]);
  });

  const answer = (...messages: object[]): string =>
    JSON.stringify({ "message-count": String(messages.length), messages });
  const good = { status: "0", "message-id": "1" };
  test.each([
    [200, answer(good, good), null],
    [200, answer({ status: "15", "error-text": "Invalid sender" }), [false, "Vonage responded with status 15"]],
    [200, answer({ status: "1", "error-text": "Throttled" }), [true, "Vonage responded with status 1"]],
    [200, answer({ status: "4", "error-text": "Bad Credentials" }), [true, "Vonage responded with status 4"]],
    [200, answer(good, { status: "1", "error-text": "Throttled" }), [false, "Vonage responded with status 1"]],
    [200, answer({ status: "<secret>" }), [true, "Vonage responded with an invalid body"]],
    [200, "not json", [true, "Vonage responded with an invalid body"]],
    [200, answer(), [true, "Vonage responded with an invalid body"]],
    [500, "", [true, "Vonage responded with HTTP status 500"]],
    [404, "", [false, "Vonage responded with HTTP status 404"]],
  ] as const)("classifies %i %s as %j", (status, body, expected) => {
    const refusal = vonageSendApi.readFailure({ status, body });
    expect(refusal === null ? null : [refusal.isTemporary, refusal.text]).toEqual(expected);
  });
});
