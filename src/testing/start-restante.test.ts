import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import { SmtpDialogue } from "./smtp-dialogue.ts";
import { startRestante, type Restante } from "./start-restante.ts";

async function send(restante: Restante, to: string): Promise<void> {
  await using dialogue = await SmtpDialogue.connect(restante.smtp.port);
  await dialogue.expect("220");
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.c>", "250"], [`RCPT TO:<${to}>`, "250"], ["DATA", "354"]);
  await dialogue.play([`Subject: To ${to}\r\n\r\nHello\r\n.\r\n`, "250"]);
}

async function subjects({ url, apiKey, serverId }: Restante): Promise<readonly string[]> {
  const headers = { authorization: `Basic ${btoa(`${apiKey}:`)}` };
  const response = await fetch(`${url}/api/messages?server=${serverId}`, { headers });
  return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject);
}

describe("startRestante", () => {
  test("starts a service on free ports and returns unique addresses", async () => {
    await using restante = await startRestante();
    const address = restante.emailAddress();
    expect(address).toMatch(new RegExp(`^[0-9a-f]{12}@${restante.serverId}\\.restante\\.example\\.com$`));
    expect(restante.emailAddress()).not.toBe(address);
    expect(restante.emailAddress("sign-up")).toBe(`sign-up@${restante.serverDomain}`);
    await send(restante, address);
    expect(await subjects(restante)).toEqual([`To ${address}`]);
  });

  test.each(["auto", "always", "never"] as const)(
    "gives nodemailer all that it needs when smtpStarttls is %s",
    async (smtpStarttls) => {
      await using restante = await startRestante({ smtpStarttls });
      const transport = createTransport(restante.smtp);
      const to = restante.emailAddress();
      await transport.sendMail({ from: "app@example.com", to, subject: `By ${smtpStarttls}`, text: "Hello" });
      transport.close();
      expect(await subjects(restante)).toEqual([`By ${smtpStarttls}`]);
    },
  );

  test("accepts mail from nodemailer with only host and port set", async () => {
    await using restante = await startRestante();
    const { host, port } = restante.smtp;
    const transport = createTransport({ host, port });
    await transport.sendMail({ from: "app@example.com", to: restante.emailAddress(), subject: "Plain", text: "Hello" });
    transport.close();
    expect(await subjects(restante)).toEqual(["Plain"]);
  });

  test("runs several independent services in one process", async () => {
    await using one = await startRestante({ servers: [{ id: "same1234", name: "Same" }], apiKey: "key-of-one" });
    await using other = await startRestante({ servers: [{ id: "same1234", name: "Same" }], apiKey: "key-of-other" });
    await send(one, one.emailAddress("one"));
    expect(await subjects(one)).toEqual(["To one@same1234.restante.example.com"]);
    expect(await subjects(other)).toEqual([]);
    const headers = { authorization: `Bearer ${one.apiKey}` };
    expect((await fetch(`${other.url}/api/servers`, { headers })).status).toBe(401);
  });

  test("removes its files, also when it is stopped twice", async () => {
    const restante = await startRestante();
    const folder = dirname(dirname(restante.caFile ?? ""));
    expect(existsSync(folder)).toBe(true);
    await Promise.all([restante.stop(), restante.stop()]);
    expect(existsSync(folder)).toBe(false);
    await expect(fetch(restante.url)).rejects.toThrow("fetch failed");
  });

  test("keeps a given data folder and its key for the next start", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "restante-kept-"));
    const first = await startRestante({ dataDir });
    await send(first, first.emailAddress("kept"));
    await first.stop();
    const second = await startRestante({ dataDir });
    expect([second.apiKey, second.serverId]).toEqual([first.apiKey, first.serverId]);
    expect(await subjects(second)).toHaveLength(1);
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });

  test("rejects a data folder with an unknown key unless apiKey is given", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "restante-own-"));
    await (await startRestante({ dataDir, apiKey: "the-owners-key" })).stop();
    await expect(startRestante({ dataDir })).rejects.toThrow("apiKey: ");
    const again = await startRestante({ dataDir, apiKey: "the-owners-key" });
    await again.stop();
    rmSync(dataDir, { recursive: true });
  });

  test.each([
    [{ servers: [{ id: "too-long-an-id", name: "x" }] }, "--servers: "],
    [{ apiKey: "short" }, "--api-key: the given value is not allowed"],
    [{ smtpPort: 70_000 }, '--smtp-port: "70000" is not allowed'],
    [{ catchAll: "zzzz9999" }, "RESTANTE_CATCH_ALL: there is no server zzzz9999"],
  ])("refuses %j by name", async (options, message) => {
    await expect(startRestante(options)).rejects.toThrow(message);
  });

  test("applies the given limits", async () => {
    await using restante = await startRestante({ limits: { messageBytesMax: 2048 } });
    await using dialogue = await SmtpDialogue.connect(restante.smtp.port);
    await dialogue.expect("220");
    await dialogue.play(["EHLO t", /SIZE 2048/]);
  });

  test("rejects mail for unknown recipients when catchAll is off", async () => {
    await using restante = await startRestante({ catchAll: "off" });
    await using dialogue = await SmtpDialogue.connect(restante.smtp.port);
    await dialogue.expect("220");
    await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.c>", "250"], ["RCPT TO:<customer@gmail.com>", "550 5.1.1"]);
  });
});
