/** SMTP AUTH with the application's own user name, over real sockets. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../src/testing/start-restante.ts";

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
