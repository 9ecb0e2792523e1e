/** The reply to a mail names its message, as MTAs do: `250 2.0.0 Ok: queued as <id>`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";

const key = "a-key-for-journeys";
let dataDir: string;
let service: LocalService;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-queued-"));
  const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: "frst1234:First,scnd1234:Second" };
  service = await LocalService.start([`--data-dir=${dataDir}`, "--lmtp-port=0", "--catch-all=off"], environment);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});

const get = async (path: string): Promise<Response> => service.fetch(path, key);
const message = async (id = ""): Promise<{ readonly server: string; readonly subject: string }> =>
  (await (await get(`/api/messages/${id}`)).json()) as { readonly server: string; readonly subject: string };
const transcript = async (id = ""): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, accept: "text/plain" };
  return (await fetch(`${service.url}/api/messages/${id}/transcript`, { headers })).text();
};

test("the message of the reply can be retrieved at once", async () => {
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort });
  const { response } = await transport.sendMail({ from: "app@example.com", to: "a@frst1234.example", subject: "One" });
  transport.close();
  const [, id] = /^250 2\.0\.0 Ok: queued as ([0-9a-f-]{36})$/.exec(response) ?? [];
  expect(await message(id)).toMatchObject({ server: "frst1234", subject: "One" });
});

test.each(["DATA", "BDAT"])(
  "the reply to %s names the messages of all servers, and each transcript its own",
  async (verb) => {
    await using dialogue = await SmtpDialogue.connect(service.smtpPort);
    await dialogue.expect("220");
    await dialogue.play(
      ["EHLO client.example", "250"],
      ["MAIL FROM:<app@example.com>", "250"],
      ["RCPT TO:<b@scnd1234.example>", "250"],
      ["RCPT TO:<a@frst1234.example>", "250"],
      ["RCPT TO:<c@scnd1234.example>", "250"],
    );
    const mail = "Subject: Two\r\n\r\nHello\r\n";
    if (verb === "DATA") await dialogue.play(["DATA", "354"]);
    await dialogue.write(verb === "DATA" ? `${mail}.\r\n` : `BDAT ${String(mail.length)} LAST\r\n${mail}`);
    const reply = await dialogue.reply();
    const [, first, second] = /^250 2\.0\.0 Ok: queued as (\S{36}) \(and (\S{36})\)$/.exec(reply) ?? [];
    expect([await message(first), await message(second)]).toMatchObject([
      { server: "scnd1234" },
      { server: "frst1234" },
    ]);
    expect([await transcript(first), await transcript(second)].map((text) => text.match(/queued as .*/)?.[0])).toEqual([
      `queued as ${first ?? ""}`,
      `queued as ${second ?? ""}`,
    ]);
  },
);

test("LMTP replies for each recipient with the message of its server, which can be retrieved at once", async () => {
  const port = Number(/:(\d+)$/.exec(service.shown("LMTP"))?.[1]);
  await using dialogue = await SmtpDialogue.connect(port);
  await dialogue.expect(/^220 .* LMTP$/);
  await dialogue.play(
    ["LHLO mta.example", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    ["RCPT TO:<a@frst1234.example>", "250"],
    ["RCPT TO:<nobody@none1234.example>", "550 5.1.1"],
    ["RCPT TO:<b@scnd1234.example>", "250"],
    ["RCPT TO:<c@frst1234.example>", "250"],
    ["DATA", "354"],
  );
  await dialogue.write("Subject: Three\r\n\r\nHello\r\n.\r\n");
  const ids: string[] = [];
  while (ids.length < 3) ids.push(/^250 2\.0\.0 Ok: queued as (\S{36})$/.exec(await dialogue.reply())?.[1] ?? "");
  expect(ids[2]).toBe(ids[0]);
  expect([await message(ids[0]), await message(ids[1])]).toMatchObject([
    { server: "frst1234", subject: "Three" },
    { server: "scnd1234", subject: "Three" },
  ]);
  expect(await transcript(ids[0])).toMatch(/^LMTP session /);
  await dialogue.play(["QUIT", "221"]);
});
