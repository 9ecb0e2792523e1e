import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { readForm, type FormFields } from "../../core/read-form.ts";
import { writeForm } from "../formats/form.ts";
import type { Rejection } from "../kit/rejection.ts";
import {
  readVonageInbound,
  writeVonageInbound,
  vonageReceipt,
  vonageSendResponse,
  type VonageMessage,
  signVonage,
  verifyVonage,
  vonageClockSkewMsMax,
  withVonageSignature,
} from "./message.ts";
import { withBasicCredentials } from "./read-key.ts";
import { readVonageSend } from "./request.ts";

const now = Date.UTC(2026, 10, 20, 10, 42, 7);
const secret = "s3cr3t";
const message: VonageMessage = {
  id: "0199aabb-ccdd-8eee-8fff-001122334455",
  apiKey: "abcd1234",
  from: "+15550100",
  to: "+447700900123",
  text: "Your code is 482913",
  createdAt: now,
  clientRef: null,
};
const send = (changes: Readonly<Record<string, string>> = {}): FormFields =>
  Object.entries({ api_key: "k", api_secret: "s", from: "Acme", to: "447700900123", text: "hi", ...changes });

describe("signVonage", () => {
  test("returns the HMAC of the sorted parameters with & and = in values as _", () => {
    const expected = createHmac("sha256", secret).update("&a=1_2_3&b=x&timestamp=1795171327").digest("hex");
    const fields: FormFields = [
      ["b", "x"],
      ["timestamp", "1795171327"],
      ["a", "1&2=3"],
    ];
    expect(signVonage(fields, secret)).toBe(expected.toUpperCase());
    expect(signVonage([...fields, ["sig", "whatever"]], secret)).toBe(expected.toUpperCase());
  });

  test("signs so that verifyVonage accepts it, in any letter case and with SHA-512", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z-]{1,8}$/), { maxLength: 5 });
    fc.assert(
      fc.property(names, fc.string(), (keys, value) => {
        const fields = keys.filter((key) => key !== "sig" && key !== "timestamp").map((key) => [key, value] as const);
        const signed = withVonageSignature(fields, secret, now);
        expect(verifyVonage(signed, secret, now)).toBe(true);
        expect(
          verifyVonage(
            signed.map(([name, own]) => [name, name === "sig" ? own.toLowerCase() : own]),
            secret,
            now,
          ),
        ).toBe(true);
        const stamped = signed.filter(([name]) => name !== "sig");
        expect(verifyVonage([...stamped, ["sig", signVonage(stamped, secret, "sha512")]], secret, now)).toBe(true);
        expect(verifyVonage(signed, `${secret}x`, now)).toBe(false);
        expect(verifyVonage([...signed, ["added", "x"]], secret, now)).toBe(false);
      }),
    );
  });

  test("is rejected more than five minutes off, without a timestamp and with a repeated parameter", () => {
    const signed = withVonageSignature([["text", "hi"]], secret, now);
    expect(verifyVonage(signed, secret, now + vonageClockSkewMsMax)).toBe(true);
    expect(verifyVonage(signed, secret, now + vonageClockSkewMsMax + 1)).toBe(false);
    expect(verifyVonage(signed, secret, now - vonageClockSkewMsMax - 1000)).toBe(false);
    const unstamped: FormFields = [["text", "hi"]];
    expect(verifyVonage([...unstamped, ["sig", signVonage(unstamped, secret)]], secret, now)).toBe(false);
    const twice: FormFields = [
      ["text", "a"],
      ["text", "b"],
      ["timestamp", String(now / 1000)],
    ];
    expect(verifyVonage([...twice, ["sig", signVonage(twice, secret)]], secret, now)).toBe(false);
    expect(verifyVonage([], secret, now)).toBe(false);
  });
});

describe("readVonageInbound", () => {
  test("returns numbers in E.164, text and the provider's id", () => {
    const fields = readForm("msisdn=447700900123&to=15550100&messageId=0A00&text=a+b&type=text&keyword=A");
    expect(readVonageInbound(fields)).toEqual({
      from: "+447700900123",
      to: "+15550100",
      text: "a b",
      providerId: "0A00",
    });
    expect(readVonageInbound(readForm("msisdn=80808&to=Acme"))).toEqual({
      from: "80808",
      to: "Acme",
      text: "",
      providerId: null,
    });
  });

  test.each(["msisdn=1", "to=1", ""])("throws for %j", (body) => {
    expect(() => readVonageInbound(readForm(body))).toThrow(Problem);
  });

  test("decodes what writeVonageInbound encoded, signed", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const fields = readForm(writeForm(withVonageSignature(writeVonageInbound({ ...message, text }), secret, now)));
        expect(readVonageInbound(fields)).toEqual({ from: message.from, to: message.to, text, providerId: message.id });
        expect(verifyVonage(fields, secret, now)).toBe(true);
      }),
    );
    expect(Object.fromEntries(writeVonageInbound({ ...message, text: "stop жe" }))).toMatchObject({
      type: "unicode",
      keyword: "STOP",
      msisdn: "15550100",
      "message-timestamp": "2026-11-20 10:42:07",
    });
  });
});

describe("readVonageSend", () => {
  test("returns the number in E.164", () => {
    expect(readVonageSend(send({ callback: "https://app.example/dlr" }))).toEqual({
      apiKey: "k",
      apiSecret: "s",
      to: "+447700900123",
      from: "Acme",
      text: "hi",
      callback: "https://app.example/dlr",
      clientRef: null,
      facts: {},
    });
    expect(readVonageSend(send({ from: "15550100", api_secret: "" }))).toMatchObject({
      from: "+15550100",
      apiSecret: null,
    });
  });

  test("takes api_key and api_secret from Basic when the form has none, as current libraries send them", () => {
    const basic = { authorization: `Basic ${Buffer.from("k:s").toString("base64")}` };
    const form = send().filter(([name]) => !name.startsWith("api_"));
    expect(readVonageSend(withBasicCredentials(form, basic))).toEqual(readVonageSend(send()));
    expect(withBasicCredentials(send(), basic)).toEqual(send());
    expect(() => readVonageSend(withBasicCredentials(form, { authorization: "Bearer x" }))).toThrow("Missing api_key");
  });

  test.each([
    [{ api_key: "" }, "2"],
    [{ from: "" }, "2"],
    [{ to: "" }, "2"],
    [{ text: "" }, "2"],
    [{ to: "nobody" }, "3"],
    [{ from: "not a sender id" }, "15"],
    [{ text: "x".repeat(1601) }, "3"],
    [{ callback: "ftp://x" }, "3"],
  ])("rejects %j with status %s", (changes, status) => {
    try {
      expect.unreachable(JSON.stringify(readVonageSend(send(changes))));
    } catch (error) {
      const { message: text, respond } = error as Rejection;
      const { status: httpStatus, body } = respond({ method: "POST", path: "/sms/json", headers: {} });
      expect(httpStatus).toBe(200);
      expect(JSON.parse(body?.text ?? "")).toEqual({
        "message-count": "1",
        messages: [{ status, "error-text": text }],
      });
    }
  });

  test("gets a response with one entry for each segment", () => {
    expect(vonageSendResponse(message)).toMatchObject({
      "message-count": "1",
      messages: [{ to: "447700900123", "message-id": message.id, status: "0" }],
    });
    expect(vonageSendResponse({ ...message, text: "x".repeat(161) })).toMatchObject({
      "message-count": "2",
      messages: [{ "message-id": message.id }, { "message-id": `${message.id}-2` }],
    });
  });

  test("is followed by a delivery receipt", () => {
    expect(Object.fromEntries(vonageReceipt(message, now))).toMatchObject({
      msisdn: "447700900123",
      to: "15550100",
      messageId: message.id,
      status: "delivered",
      scts: "2611201042",
      "err-code": "0",
      "message-timestamp": "2026-11-20 10:42:07",
    });
  });
});
