import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SmtpTestServer, testServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";

const { ca, secureContext } = throwAwayCertificate();
let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ secureContext });
});
beforeEach(() => {
  smtp.operations.arrivals.length = 0;
});
afterAll(() => smtp.server.close());

const mail = {
  from: "Sender <sender@client.example>",
  to: "someone@abcd1234.restante.test",
  subject: "Grüße",
  text: ".\n..\nline\n.hidden",
};

describe("nodemailer", () => {
  test.each([
    ["in clear", { ignoreTLS: true }, "ESMTP"],
    [
      "with STARTTLS and a certificate that verifies",
      { requireTLS: true, tls: { ca, servername: "localhost" } },
      "ESMTPS",
    ],
    [
      "with STARTTLS and AUTH PLAIN",
      { requireTLS: true, tls: { ca }, auth: { user: "abcd1234", pass: "secret" } },
      "ESMTPSA",
    ],
    [
      "in clear with AUTH LOGIN",
      { ignoreTLS: true, authMethod: "LOGIN", auth: { user: "abcd1234", pass: "secret" } },
      "ESMTPA",
    ],
  ])("delivers %s", async (_, options, protocol) => {
    const transport = createTransport({ host: "localhost", port: smtp.server.port, ...options });
    const sent = await transport.sendMail(mail);
    transport.close();
    expect(sent.response).toBe("250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000");
    expect(smtp.operations.arrivals).toMatchObject([
      {
        mailFrom: "sender@client.example",
        recipients: [{ address: "someone@abcd1234.restante.test", server: testServer }],
        session: { protocol },
      },
    ]);
    expect(smtp.mails[0]?.split("\r\n\r\n")[1]).toBe(".\r\n..\r\nline\r\n.hidden\r\n");
  });

  test("rejects with EAUTH for a wrong password", async () => {
    const auth = { user: "abcd1234", pass: "wrong" };
    const transport = createTransport({ host: "127.0.0.1", port: smtp.server.port, ignoreTLS: true, auth });
    await expect(transport.sendMail(mail)).rejects.toMatchObject({ code: "EAUTH", responseCode: 535 });
    transport.close();
  });

  test("reports rejected recipients and delivers to the others", async () => {
    const transport = createTransport({ host: "127.0.0.1", port: smtp.server.port, ignoreTLS: true });
    const sent = await transport.sendMail({ ...mail, to: [mail.to, "nobody@b.example"] });
    transport.close();
    expect(sent).toMatchObject({ accepted: [mail.to], rejected: ["nobody@b.example"] });
    expect(smtp.operations.arrivals[0]?.recipients).toHaveLength(1);
  });

  test("delivers through a connection pool, with addresses in UTF-8", async () => {
    const transport = createTransport({
      host: "127.0.0.1",
      port: smtp.server.port,
      pool: true,
      maxConnections: 3,
      tls: { ca, servername: "localhost" },
    });
    const openedBefore = smtp.metrics.sessionsOpened;
    const to = "用户@abcd1234.restante.test";
    await Promise.all(Array.from({ length: 30 }, () => transport.sendMail({ ...mail, to })));
    transport.close();
    expect(smtp.operations.arrivals).toHaveLength(30);
    expect(smtp.operations.arrivals[0]?.recipients[0]?.address).toBe(to);
    expect(smtp.operations.arrivals[0]?.session.protocol).toBe("UTF8SMTPS");
    expect(smtp.metrics.sessionsOpened - openedBefore).toBeLessThanOrEqual(3);
  });
});
