import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpus } from "../../../test/corpus/corpus.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { bytesText, headerPayload, readAttachment, wholePayload } from "./payload.ts";

const raw = (text: string): Buffer => Buffer.from(text.replaceAll("\n", "\r\n"), "latin1");

interface Payload {
  readonly partId: string;
  readonly filename: string;
  readonly body: { readonly size: number; readonly data?: string; readonly attachmentId?: string };
  readonly parts?: readonly Payload[];
}
const payloadOf = (mail: Uint8Array): Payload => wholePayload(mail) as JsonObject & Payload;
const all = (payload: Payload): readonly Payload[] => [payload, ...(payload.parts ?? []).flatMap(all)];

describe("the payload of a mail", () => {
  test("has the text of one part in UTF-8, and decoded header fields as they repeat", () => {
    const mail = raw(
      "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nReceived: a\nReceived: b\n  c\nContent-Type: text/plain; charset=latin1\n\nGr\xfc\xdfe\n",
    );
    expect(wholePayload(mail)).toEqual({
      partId: "",
      mimeType: "text/plain",
      filename: "",
      headers: [
        { name: "Subject", value: "Grüße" },
        { name: "Received", value: "a" },
        { name: "Received", value: "b  c" },
        { name: "Content-Type", value: "text/plain; charset=latin1" },
      ],
      body: { size: 9, data: Buffer.from("Grüße\r\n").toString("base64") },
    });
    expect(headerPayload(mail, ["SUBJECT"])).toEqual({
      mimeType: "text/plain",
      headers: [{ name: "Subject", value: "Grüße" }],
    });
    expect(headerPayload(mail, [])).toHaveProperty("headers.length", 4);
  });

  test("has files by their attachment id, also mails and parts without a name", () => {
    const mail = raw(
      "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/related; boundary=b\n\n--b\n\nHi\n--b\n" +
        "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAP8=\n--b--\n--a\nContent-Type: message/rfc822\n\n" +
        "Subject: Inner\n\nText\n--a\nContent-Type: text/plain; name=a.txt\n\nfile\n--a--\n",
    );
    const parts = all(payloadOf(mail)).map(({ partId, filename, body: { size, data, attachmentId } }) => {
      const content = attachmentId === undefined ? undefined : readAttachment(mail, attachmentId);
      return [partId, filename, size, data ?? (content && Buffer.from(content).toString("latin1"))];
    });
    expect(parts).toEqual([
      ["", "", 0, undefined],
      ["0", "", 0, undefined],
      ["0.0", "", 2, bytesText(Buffer.from("Hi"))],
      ["0.1", "", 2, "\x00\xff"],
      ["1", "", 22, "Subject: Inner\r\n\r\nText"],
      ["2", "a.txt", 4, "file"],
    ]);
  });

  test("has one attachment when the mail is a file", () => {
    const mail = raw("Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nAP8=\n");
    const { body } = payloadOf(mail);
    expect(readAttachment(mail, body.attachmentId ?? "")).toEqual(Buffer.from([0, 255]));
  });

  test.each(["", "x", "ANGjdJ", "ANGjdJcGFydDo5", bytesText(Buffer.from("part:0"))])("has no attachment %o", (id) => {
    expect(readAttachment(raw("Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n--a--\n"), id)).toBeUndefined();
  });

  test("has the decoded size and content of every part of any mail", () => {
    const mails = [...corpus].map((one) => one.raw);
    for (const mail of mails) expectSizes(mail);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), expectSizes));
  });
});

function expectSizes(mail: Uint8Array): void {
  const wrong = all(payloadOf(mail)).filter(({ body: { size, data, attachmentId } }) => {
    if (attachmentId !== undefined) return readAttachment(mail, attachmentId)?.byteLength !== size;
    return Buffer.from(data ?? "", "base64url").byteLength !== size;
  });
  expect(wrong).toEqual([]);
}
