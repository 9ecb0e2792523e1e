/** The application under test: it sends a mail with a code and a link, by SMTP. */
import { createTransport } from "nodemailer";

/** Signs a customer up. */
export async function signUp(email: string, smtp: { host: string; port: number }): Promise<void> {
  const mailer = createTransport(smtp);
  await mailer.sendMail({
    from: "Shop <shop@example.com>",
    to: email,
    subject: "Confirm your address",
    html: '<h1>Welcome</h1><p>Your code is <b>804219</b>.</p><a href="https://shop.example/confirm?t=1">Confirm</a>',
    attachments: [{ filename: "terms.txt", content: "The terms" }],
  });
  mailer.close();
}
