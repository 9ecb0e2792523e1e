import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes } from "../body-content.ts";
import { parseMail } from "../parse-mail.ts";
import { composeForward, composeReply } from "./compose-reply.ts";
import { mailboxes, type Original, readableContacts, readableDate, readOriginal } from "./original.ts";

const read = (raw: string | Uint8Array, receivedAt = 0): Original => {
  const bytes = Buffer.from(raw as Uint8Array);
  return readOriginal(bytes, parseMail(bytes, defaultLimits), receivedAt);
};

describe("an original", () => {
  test("has its bodies, its attachments with their content types, and its thread", () => {
    const original = read(
      [
        "From: Ada <ada@corp.example>\r\nReply-To: desk@corp.example\r\nTo: a@x, b@x\r\nCc: c@x\r\nSubject: =?utf-8?q?H=C3=A9?=",
        "Message-ID: <m@x>\r\nIn-Reply-To: <l@x>\r\nReferences: <k@x> <l@x>\r\nDate: Fri, 20 Nov 2026 10:42:07 +0100",
        'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n',
        "--b\r\nContent-Type: text/plain\r\n\r\nhi",
        "--b\r\nContent-Type: text/html\r\n\r\n<p>hi</p>",
        "--b\r\nContent-Type: image/png\r\nContent-ID: <p@x>\r\nContent-Disposition: inline\r\n\r\npng",
        "--b\r\nContent-Type: text/calendar; method=REQUEST; charset=utf-8; x=1; name=i.ics\r\n\r\nBEGIN",
        "--b--\r\n",
      ].join("\r\n"),
    );
    expect(original).toMatchObject({
      subject: "Hé",
      replyTo: [{ email: "desk@corp.example" }],
      messageId: "<m@x>",
      inReplyTo: ["<l@x>"],
      references: ["<k@x>", "<l@x>"],
      date: Date.UTC(2026, 10, 20, 9, 42, 7),
      text: "hi",
      html: "<p>hi</p>",
      attachments: [
        { fileName: "p@x", contentType: "image/png", contentId: "p@x", isInline: true },
        {
          fileName: "i.ics",
          contentType: "text/calendar; charset=utf-8; method=REQUEST",
          contentId: null,
          isInline: false,
        },
      ],
    });
    expect(mailboxes(original.to)).toEqual([
      { name: "", address: "a@x" },
      { name: "", address: "b@x" },
    ]);
    expect(readableContacts([...original.from, ...original.cc])).toBe("Ada <ada@corp.example>, c@x");
  });

  test("has the time of receipt when the mail has no date", () => {
    const receivedAt = Date.UTC(2026, 10, 20);
    expect(readableDate(read("Subject: x\r\n\r\n", receivedAt).date)).toBe("Fri, 20 Nov 2026 00:00:00 +0000");
  });
});

const token = fc.constantFrom(
  "\r\n",
  "\n",
  "--b",
  "--b--",
  "Content-Type: ",
  "multipart/mixed; boundary=b",
  "message/rfc822",
  "text/html",
  'image/png; name="a\r\n b"',
  "Content-ID: <é@x>",
  "Content-Disposition: inline; filename*=utf-8''%0d%0aX-Evil%3a1",
  "Content-Transfer-Encoding: base64",
  "AAAA",
  "Subject: =?utf-8?q?=0D=0AX-Evil:_1?=",
  "From: =?utf-8?b?DQpYLUV2aWw6IDE=?= <a@x>",
  'Reply-To: "a\r\n b"@x',
  "Message-ID: <a b@x>",
  "References: <x> <y\0>",
  "Date: 99 Foo 99999",
  "Date: Fri, 31 Dec 275760 10:00:00 +0000",
  "\0",
  "text",
  ": ",
  " ",
);
const hostileRaw = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.array(token, { maxLength: 30 }).map((tokens) => Buffer.from(tokens.join(""))),
  fc
    .array(token, { maxLength: 30 })
    .map((tokens) =>
      Buffer.from(
        `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${tokens.join("\r\n")}`,
      ),
    ),
);

test("reply and forward of any received mail have its attachments byte for byte and no added fields", async () => {
  const stamp = { messageId: "<n@x>", date: 0, boundarySeed: "s", from: { address: "me@x.example" } };
  await fc.assert(
    fc.asyncProperty(hostileRaw, async (raw) => {
      const original = read(raw);
      const forwarded = await composeForward(original, {
        ...stamp,
        to: [{ address: "b@x" }],
        text: "look",
        html: null,
      });
      const mail = parseMail(forwarded, defaultLimits);
      const sent = mail.attachments.map((part) => Buffer.from(decodeBytes(forwarded, part)).toString("hex"));
      expect(sent.sort()).toEqual(original.attachments.map((one) => Buffer.from(one.content).toString("hex")).sort());
      const reply = await composeReply(original, { ...stamp, text: "thanks", html: null });
      for (const answer of [mail, parseMail(reply, defaultLimits)]) {
        expect(answer.headers.map((header) => header.field.toLowerCase())).not.toContain("x-evil");
        expect(answer.from.map((contact) => contact.email)).toEqual(["me@x.example"]);
        expect(answer.defects.filter((defect) => defect !== "missing_from")).toEqual([]);
      }
    }),
    { numRuns: 800 },
  );
});
