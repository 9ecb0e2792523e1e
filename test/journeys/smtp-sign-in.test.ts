/** SMTP AUTH with the application's own user name, over real sockets. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";

import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../src/testing/start-restante.ts";

const pythonVersion = spawnSync("python3", ["--version"]).error === undefined ? "3" : null;

let service: Restante;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: "shop1234", name: "Shop" }] });
});
afterAll(async () => service.stop());

const ask = async (path: string): Promise<unknown> => {
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  return (await fetch(`${service.url}${path}`, { headers: { authorization } })).json();
};
const send = async (user: string, pass: string): Promise<unknown> => {
  const { host, port } = service.smtp;
  const transport = createTransport({ host, port, auth: { user, pass }, tls: { rejectUnauthorized: false } });
  const mail = { from: "app@shop.example", to: "x@shop1234.restante.test", subject: user, text: "Hello" };
  return transport.sendMail(mail).catch((error: unknown) => (error as { responseCode?: number }).responseCode);
};

const oauth2 = (user: string, accessToken: string) => ({ type: "OAuth2", user, accessToken }) as const;

test.each([
  ["PLAIN", undefined],
  ["LOGIN", undefined],
  ["CRAM-MD5", undefined],
  ["XOAUTH2", oauth2],
] as const)(
  "accepts %s from nodemailer: unknown user names, and a server's with its password only",
  async (method, authOf) => {
    const { host, port } = service.smtp;
    const { value: password } = (await ask("/api/servers/shop1234/password")) as { value: string };
    const sendBy = async (user: string, pass: string): Promise<unknown> => {
      const auth = authOf === undefined ? { user, pass } : authOf(user, pass);
      const options = { host, port, auth, tls: { rejectUnauthorized: false } };
      const transport = createTransport(method === "XOAUTH2" ? options : { ...options, authMethod: method });
      const mail = { from: "app@shop.example", to: "x@shop1234.restante.test", subject: method, text: "Hello" };
      const failed = (error: unknown) => (error as { responseCode?: number }).responseCode;
      return transport.sendMail(mail).then(() => 250, failed);
    };
    expect(await sendBy("postmaster@mg.shop.example", "any-secret")).toBe(250);
    const [message] = (await ask("/api/messages?server=shop1234")) as readonly { id: string }[];
    expect(await ask(`/api/messages/${message?.id ?? ""}`)).toMatchObject({
      subject: method,
      metadata: { auth: { user: "postmaster@mg.shop.example", mechanism: method } },
    });
    expect(await sendBy("shop1234", password)).toBe(250);
    expect(await sendBy("shop1234", "wrong")).toBe(535);
  },
);

test.skipIf(pythonVersion === null)(
  "accepts every mechanism of Python's smtplib (skipped without python3)",
  async () => {
    const { host, port } = service.smtp;
    const script = `
import smtplib, sys
for method in ("auth_plain", "auth_login", "auth_cram_md5"):
    with smtplib.SMTP(${JSON.stringify(host)}, ${port}) as client:
        client.ehlo()
        client.user, client.password = "AKIAEXAMPLE", method
        print(client.auth(method[5:].replace("_", "-"), getattr(client, method))[0])
with smtplib.SMTP(${JSON.stringify(host)}, ${port}) as client:
    client.login("apikey", "SG.x")
    client.sendmail("app@shop.example", ["x@shop1234.restante.test"], "Subject: by smtplib\\n\\nHello")
`;
    const { stdout } = await promisify(execFile)("python3", ["-c", script]);
    expect(stdout.trim().split("\n")).toEqual(["235", "235", "235"]);
  },
);

test("accepts an unknown user name on loopback and stores it without the password", async () => {
  await send("apikey", "SG.a-secret-of-the-application");
  const [message] = (await ask("/api/messages?server=shop1234")) as readonly { id: string }[];
  const shown = await ask(`/api/messages/${message?.id ?? ""}`);
  expect(shown).toMatchObject({ subject: "apikey", metadata: { auth: { user: "apikey", mechanism: "PLAIN" } } });
  expect(JSON.stringify(shown)).not.toContain("a-secret-of-the-application");
});

test("rejects the user name of a server with a wrong password", async () => {
  expect(await send("shop1234", "wrong")).toBe(535);
});
