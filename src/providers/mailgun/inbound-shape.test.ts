import { expect, test } from "vitest";
import { sampleInboundMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import { readParts, textsOf } from "../conformance/read-form.test-aid.ts";
import { mailgunInbound } from "./inbound-shape.ts";

test("mail with HTML only has the text of the HTML in body-plain and stripped-text", async () => {
  const html = "<p>Thank&nbsp;you</p><blockquote>Earlier</blockquote>";
  const mail = sampleInboundMail({ text: "", strippedText: "", html, strippedHtml: "<p>Thank&nbsp;you</p>" });
  const request = mailgunInbound.render(mail, {}, sampleSigning({ signingKey: "key" }));
  expect(textsOf(await readParts(request))).toMatchObject({
    "body-plain": "Thank you\nEarlier",
    "stripped-text": "Thank you",
    "body-html": html,
  });
});

test("mail without attachments is urlencoded, other mail multipart", () => {
  const types = [[], sampleInboundMail().attachments].map(
    (attachments) =>
      mailgunInbound.render(sampleInboundMail({ attachments }), {}, sampleSigning({ signingKey: "key" })).contentType,
  );
  expect(types).toEqual([
    "application/x-www-form-urlencoded",
    expect.stringMatching(/^multipart\/form-data; boundary=/),
  ]);
});
