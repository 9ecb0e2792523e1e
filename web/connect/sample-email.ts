/** Email with a code, a link and an attachment, for a server without messages. */
import type { EmailFields } from "../wire.ts";

const text = `Hello,

your sign-in code is 482913.

Or sign in with this link: https://example.com/sign-in?token=sample

Your receipt is attached.
`;
const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your sign-in code</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;color:#1f2328;background:#ffffff">
<h1 style="font-size:22px">Sign in to Example</h1>
<p>Your sign-in code is</p>
<p style="font-size:28px;font-weight:700;letter-spacing:4px">482913</p>
<p><a href="https://example.com/sign-in?token=sample" style="color:#1d4f91">Or sign in with this link</a></p>
<p>Your receipt is attached.</p>
</body></html>`;

/** The fields of the sample. */
export const sampleEmail: EmailFields = {
  subject: "Your sign-in code: 482913",
  text,
  html,
  attachments: [{ fileName: "receipt.csv", contentType: "text/csv", content: btoa("item,price\nSample,0.00\n") }],
};
