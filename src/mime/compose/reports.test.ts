/** Composed samples, bounces, complaints and out-of-office replies. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes, joinTexts } from "../body-content.ts";
import { type Mail, parseMail } from "../parse-mail.ts";
import { type Bounce, type Complaint, composeAutoreply, composeBounce, composeComplaint } from "./compose-bounce.ts";
import { composeSample, sampleSender } from "./compose.ts";
import { readOriginal } from "./original.ts";

/** Any UTF-16 code units, including lone surrogates. */
const anyText = fc.array(fc.nat({ max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units));

const stamp = { messageId: "<n1@restante.test>", date: Date.UTC(2026, 10, 20, 10, 0, 0), boundarySeed: "seed" };
const original = Buffer.from(
  "From: App <app@corp.example>\r\nTo: gone@abcd1234.restante.test\r\nSubject: Welcome\r\nMessage-ID: <m1@corp.example>\r\n\r\nHello\r\n",
);
const bounce: Bounce = {
  ...stamp,
  action: "failed",
  to: "bounces@corp.example",
  reportingMta: "mx.restante.test",
  recipient: "gone@abcd1234.restante.test",
  status: "5.1.1",
  diagnostic: "550 5.1.1 No such user",
  arrivedAt: Date.UTC(2026, 10, 20, 9, 0, 0),
  original,
  originalMessageId: "<m1@corp.example>",
  returns: "full",
};
const complaint: Complaint = {
  ...stamp,
  feedbackType: "abuse",
  from: "fbl@restante.test",
  to: "bounces@corp.example",
  recipient: "gone@abcd1234.restante.test",
  mailFrom: "bounces@corp.example",
  sourceIp: "192.0.2.1",
  arrivedAt: bounce.arrivedAt,
  original,
  originalMessageId: "<m1@corp.example>",
};
const field = (mail: Mail, name: string): string | undefined =>
  mail.headers.find((header) => header.field.toLowerCase() === name)?.value;
const parts = (raw: Uint8Array): { mail: Mail; types: string[]; contents: string[] } => {
  const mail = parseMail(raw, defaultLimits);
  return {
    mail,
    types: mail.root.children.map((part) => part.mediaType),
    contents: mail.root.children.map((part) => Buffer.from(decodeBytes(raw, part)).toString()),
  };
};

describe("a sample", () => {
  test("has the subject and text that the official suites expect, and a unique sender", async () => {
    const raw = await composeSample({ ...stamp, to: "sample@abcd1234.restante.test", senderToken: "k3j9" });
    const mail = parseMail(raw, defaultLimits);
    expect(mail.subject).toBe("Example message");
    expect(Buffer.from(raw).toString()).toContain("Subject: Example message\r\n");
    expect(joinTexts(raw, mail.textParts)).toContain("This is a sample email");
    expect(joinTexts(raw, mail.htmlParts)).toContain("This is a sample email");
    expect(mail.from.map((contact) => contact.email)).toEqual([sampleSender("k3j9")]);
    expect(mail.to.map((contact) => contact.email)).toEqual(["sample@abcd1234.restante.test"]);
    expect(mail.defects).toEqual([]);
  });
});

describe("a bounce", () => {
  test("is a delivery status notification with its three parts (RFC 3464 §2)", async () => {
    const { mail, types, contents } = parts(await composeBounce(bounce));
    expect(mail.root.mediaType).toBe("multipart/report");
    expect(mail.root.parameters.get("report-type")).toBe("delivery-status");
    expect(types).toEqual(["text/plain", "message/delivery-status", "message/rfc822"]);
    expect(contents[1]).toBe(
      [
        "Reporting-MTA: dns; mx.restante.test",
        "Arrival-Date: Fri, 20 Nov 2026 09:00:00 +0000",
        "",
        "Original-Recipient: rfc822;gone@abcd1234.restante.test",
        "Final-Recipient: rfc822; gone@abcd1234.restante.test",
        "Action: failed",
        "Status: 5.1.1",
        "Diagnostic-Code: smtp; 550 5.1.1 No such user",
        "Last-Attempt-Date: Fri, 20 Nov 2026 10:00:00 +0000",
        "",
      ].join("\r\n"),
    );
    expect(contents[2]).toBe(original.toString());
    expect(field(mail, "auto-submitted")).toBe("auto-replied");
    expect(mail.from[0]?.email).toBe("MAILER-DAEMON@mx.restante.test");
    expect(mail.to.map((contact) => contact.email)).toEqual(["bounces@corp.example"]);
    expect(mail.inReplyTo).toEqual(["<m1@corp.example>"]);
  });

  test("has the end of the retry period when delivery is delayed", async () => {
    const retriedUntil = Date.UTC(2026, 10, 25);
    const delayed = { ...bounce, action: "delayed", status: "4.4.1", retriedUntil } as const;
    const { contents, mail } = parts(await composeBounce(delayed));
    expect(contents[1]).toContain("Action: delayed\r\nStatus: 4.4.1\r\n");
    expect(contents[1]).toContain("Will-Retry-Until: Wed, 25 Nov 2026 00:00:00 +0000\r\n");
    expect(mail.subject).not.toBe(parts(await composeBounce(bounce)).mail.subject);
  });

  test("includes only the header section on request, and when the mail cannot be sent unchanged", async () => {
    const short = parts(await composeBounce({ ...bounce, returns: "headers" }));
    expect(short.types[2]).toBe("text/rfc822-headers");
    expect(short.contents[2]).toContain("Subject: Welcome");
    expect(short.contents[2]).not.toContain("Hello");
    const bare = parts(await composeBounce({ ...bounce, original: Buffer.from("Subject: bare\n\nHello\n") }));
    expect(bare.types[2]).toBe("text/rfc822-headers");
    expect(bare.contents[2]).toMatch(/^Subject: bare\r\n$/);
  });

  test("contains no added field or part for any diagnostic", async () => {
    const evil = anyText.map((text) => `${text}\r\nAction: delivered\r\n\r\n--x`);
    await fc.assert(
      fc.asyncProperty(evil, evil, async (diagnostic, recipient) => {
        const raw = await composeBounce({
          ...bounce,
          diagnostic,
          recipient,
          status: diagnostic,
          originalMessageId: recipient,
        });
        const { types, contents, mail } = parts(raw);
        expect(types).toEqual(["text/plain", "message/delivery-status", "message/rfc822"]);
        expect(contents[1]?.match(/^Action: .*$/gm)).toEqual(["Action: failed"]);
        expect(contents[1]?.split("\r\n\r\n")).toHaveLength(2);
        expect(contents[1]).toMatch(/^[ -~\r\n]*$/);
        expect(mail.inReplyTo).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a complaint", () => {
  test("is a feedback report with the whole mail (RFC 5965 §2)", async () => {
    const { mail, types, contents } = parts(await composeComplaint(complaint, "Welcome"));
    expect(mail.root.parameters.get("report-type")).toBe("feedback-report");
    expect(types).toEqual(["text/plain", "message/feedback-report", "message/rfc822"]);
    expect(contents[1]?.split("\r\n")).toEqual([
      "Feedback-Type: abuse",
      "User-Agent: restante/1",
      "Version: 1",
      "Original-Mail-From: <bounces@corp.example>",
      "Original-Rcpt-To: <gone@abcd1234.restante.test>",
      "Arrival-Date: Fri, 20 Nov 2026 09:00:00 +0000",
      "Reporting-MTA: dns; restante.test",
      "Source-IP: 192.0.2.1",
      "Reported-Domain: corp.example",
      "",
    ]);
    expect(contents[2]).toBe(original.toString());
    expect(mail.subject).toBe("Welcome");
  });

  test("omits unknown values", async () => {
    const { contents } = parts(await composeComplaint({ ...complaint, sourceIp: null, mailFrom: "" }, ""));
    expect(contents[1]).not.toMatch(/Source-IP|Reported-Domain/);
    expect(contents[1]).toContain("Original-Mail-From: <>\r\n");
  });
});

describe("an out-of-office reply", () => {
  test("is addressed to the return path, has the thread's ids, and is marked as automatic (RFC 3834 §3.1)", async () => {
    const read = readOriginal(original, parseMail(original, defaultLimits), 0);
    const from = { name: "Gone", address: "gone@abcd1234.restante.test" };
    const raw = await composeAutoreply(read, { ...stamp, from, to: "bounces@corp.example", text: "Back on Monday." });
    const mail = parseMail(raw, defaultLimits);
    expect(mail.subject).toBe("Auto: Welcome");
    expect(field(mail, "auto-submitted")).toBe("auto-replied");
    expect(mail.inReplyTo).toEqual(["<m1@corp.example>"]);
    expect(mail.to.map((contact) => contact.email)).toEqual(["bounces@corp.example"]);
    expect(joinTexts(raw, mail.textParts)?.trim()).toBe("Back on Monday.");
  });
});
