import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { RequestTranscript, type TranscribedMessage, type TranscribedRequest, decodeTranscript } from "./transcript.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

const peer = { protocol: "HTTP/1.1", clientAddress: "192.0.2.1", tls: "TLS" };
const only: TranscribedMessage = { count: 1, isOwn: true, hits: [] };

function aRequest(fields: Partial<TranscribedRequest> = {}): TranscribedRequest {
  return {
    peer,
    method: "POST",
    target: "/v3/mail/send",
    headers: { host: "localhost", authorization: "Bearer SG.secret-key", "content-type": "application/json" },
    body: Buffer.from('{"subject":"Hello"}'),
    key: "SG.secret-key",
    success: "202 Accepted",
    ...fields,
  };
}

function linesOf(request: TranscribedRequest, message: Partial<TranscribedMessage> = {}): readonly string[] {
  const encoded = new RequestTranscript(request, new FakeClock()).encode({ ...only, ...message });
  return decodeTranscript(encoded).entries.map(({ from, text }) => `${from} ${text}`);
}

test("has the request without secrets, and the status that follows", () => {
  const clock = new FakeClock();
  const transcript = new RequestTranscript(aRequest(), clock);
  const startedAt = clock.now();
  clock.advance(20);
  const decoded = decodeTranscript(transcript.encode(only));
  expect(decoded).toMatchObject({ startedAt, peer });
  expect(decoded.entries.map(({ at, from, text }) => `${String(at)} ${from} ${text}`)).toEqual([
    "0 client POST /v3/mail/send HTTP/1.1",
    "0 client host: localhost",
    "0 client authorization: [masked]",
    "0 client content-type: application/json",
    "0 client ",
    '0 client {"subject":"Hello"}',
    "20 server HTTP/1.1 202 Accepted",
  ]);
});

test.each<readonly [string, Partial<TranscribedRequest>, string]>([
  [
    "a member of JSON",
    { body: Buffer.from('{"api_secret": "s3\\"cr3t", "to": "1"}') },
    '{"api_secret": "[masked]", "to": "1"}',
  ],
  ["a JSON value", { body: { password: "s3cr3t", a: [1] } }, '{"password":"[masked]","a":[1]}'],
  ["a field of a form", { body: Buffer.from("api_key=s3cr3t&to=1") }, "api_key=[masked]&to=1"],
  ["the key anywhere", { body: Buffer.from("x=s3cr3t-key"), key: "s3cr3t-key" }, "x=[masked]"],
])("masks secrets in %s", (_, fields, shown) => {
  expect(linesOf(aRequest(fields))).toContain(`client ${shown}`);
});

test("masks secrets in the query string", () => {
  const target = "/sms?api_key=abc&X-Amz-Signature=def&sig=ghi&to=1";
  expect(linesOf(aRequest({ target }))[0]).toBe(
    "client POST /sms?api_key=[masked]&X-Amz-Signature=[masked]&sig=[masked]&to=1 HTTP/1.1",
  );
});

test("leaves out the body of a request for several servers, and the response that a fault loses", () => {
  const hits = [{ server: null, rule: "r", stage: "request", action: "lose-reply" }] as const;
  expect(linesOf(aRequest(), { isOwn: false, hits }).slice(5)).toEqual([
    "service [body left out: the request concerns several servers]",
    "service [fault at request: lose-reply]",
  ]);
});

test("shortens encoded files and long bodies, the more the more messages share the request", () => {
  const file = { content: "QUJD".repeat(500), text: "a ".repeat(40_000) };
  const body = Buffer.from(JSON.stringify(file));
  const request = aRequest({ body });
  const [one, many] = [1, 1000].map((count) => linesOf(request, { count }).slice(5, -2).join(""));
  expect(one).toContain(`{"content":"${"QUJD".repeat(10)}[1960 characters]","text":"a a a`);
  expect(one?.length).toBeLessThan(2200);
  expect(many?.length).toBeLessThan(300);
  expect(linesOf(request)).toContain(`service [rest of the body of ${String(body.length)} bytes left out]`);
});

test("shows the key nowhere and is bounded, for all requests", () => {
  const text = fc.string({ unit: codePoint, maxLength: 40 });
  const secret = fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 60 });
  const parts = fc.array(fc.oneof(text, fc.constant("\0key\0"), fc.constant("x".repeat(3000))), { maxLength: 5 });
  fc.assert(
    fc.property(
      secret,
      fc.tuple(parts, parts),
      fc.dictionary(fc.string({ maxLength: 20 }), text),
      (key, [body, target], headers) => {
        const filled = (pieces: readonly string[]): string => pieces.join("").replaceAll("\0key\0", () => key);
        const request = aRequest({
          key,
          body: Buffer.from(filled(body)),
          target: filled(target),
          headers: { ...headers, authorization: `Bearer ${key}`, "x-api-key": key, "user-agent": `a ${key}` },
        });
        const encoded = new RequestTranscript(request, new FakeClock()).encode(only);
        expect(encoded.length).toBeLessThan(30_000);
        const shown = decodeTranscript(encoded)
          .entries.map((entry) => entry.text)
          .join("");
        if (!"[masked]".includes(key)) expect(shown).not.toContain(key);
      },
    ),
  );
});
