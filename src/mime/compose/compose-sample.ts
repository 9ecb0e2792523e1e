import { composeMail, type Stamp } from "./compose.ts";

/** Recipient and sender token of a sample mail. */
export interface Sample extends Stamp {
  /** `sample@<server>.<domain>`. */
  readonly to: string;
  /** Letters and digits; a new token for each sample gives each a different sender. */
  readonly senderToken: string;
}

/** Returns the sender of a sample with this token; example.com is reserved (RFC 2606). */
export function sampleSender(senderToken: string): string {
  return `${senderToken}@example.com`;
}

/** Returns the raw mail that a create request with an empty body stores in a server. */
export async function composeSample(sample: Sample): Promise<Uint8Array> {
  const { to, senderToken, ...stamp } = sample;
  return await composeMail({
    ...stamp,
    from: { name: "Example Sender", address: sampleSender(senderToken) },
    to: [{ address: to }],
    subject: "Example message",
    text: `This is a sample email

It has a text body and an HTML body, a link and a code.

Your code is 482913.
Read more: https://example.com/sample
`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Example message</title></head>
<body>
<h1>This is a sample email</h1>
<p>It has a text body and an HTML body, a link and a code.</p>
<p>Your code is <strong>482913</strong>.</p>
<p><a href="https://example.com/sample">Read more</a></p>
</body>
</html>
`,
  });
}
