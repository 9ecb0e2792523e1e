/** Mails that the conformance suite sends. */
import type { EmailFeature } from "../email.ts";
import type { SampleEmail } from "./samples.test-aid.ts";

const everyByte = Uint8Array.from({ length: 768 }, (_, at) => at % 256);

/** Mail with the fields that every provider requires. */
export const minimalSample: SampleEmail & { readonly text: string } = {
  from: { name: "", address: "sender@app.example" },
  to: [{ name: "", address: "zoe@shop.example" }],
  subject: "Your order 4711",
  text: "Thank you for your order.",
};

const attachments: NonNullable<SampleEmail["attachments"]> = [
  { fileName: "Rechnung März 🧾.pdf", contentType: "application/pdf", content: everyByte },
  { fileName: "data.dat", contentType: "application/octet-stream", content: everyByte.toReversed() },
  // Mailgun's content ids are file names, so they are equal here.
  { fileName: "logo.png", contentType: "image/png", content: everyByte, contentId: "logo.png" },
];

/** Returns a mail with all fields that a provider with these features has. */
export function fullSample(features: readonly EmailFeature[]): SampleEmail & { readonly html: string } {
  const has = (feature: EmailFeature): boolean => features.includes(feature);
  const files = attachments.filter(({ contentId }) => has(contentId === undefined ? "attachments" : "inline images"));
  return {
    from: { name: "Ærø Ümläut", address: "sender@app.example" },
    to: [
      { name: 'Zoë "李" Smith, Jr.', address: "zoe@shop.example" },
      { name: "", address: "Second.Recipient@shop.example" },
    ],
    cc: [{ name: "Copy", address: "copy@shop.example" }],
    bcc: [{ name: "", address: "hidden@shop.example" }],
    replyTo: { name: "Support ✓", address: "support@app.example" },
    subject: "Ваш код 482913 – ✓",
    text: "Your code is 482913 & €.\nSecond line: <b>not bold</b> {{name}} %recipient%",
    html: '<p title="a&amp;b">Your code is <b>482913</b> €</p><img src="cid:logo.png" alt="">',
    ...(has("custom headers") && { headers: { "X-Order": "4711", "X-Trace-Id": "a-b_c.d" } }),
    ...(files.length > 0 && { attachments: files }),
    ...(has("tags") && { tags: ["welcome"] }),
    ...(has("metadata") && { metadata: { user_id: "42", plan: "pro" } }),
  };
}
