/** Files of the data folder that are removed while the service runs: it accepts nothing more, and says why. */
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { runLocally } from "./local-command.ts";

const server = "lost1234";
const settings = { RESTANTE_SERVERS: `${server}:Lost`, RESTANTE_LOG: "error" };

test("mail is deferred, requests fail and the status names the file while the database has lost its name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-lost-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const dataDir = join(folder, "data");
  await using service = await LocalService.start([`--data-dir=${dataDir}`], settings);
  const key = readFileSync(join(dataDir, "api-key"), "utf8").trim();
  await service.send(`a@${server}.restante.test`, "Before");
  const file = join(dataDir, "restante.db");
  renameSync(file, `${file}.away`);

  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<a@${server}.restante.test>`, "250"],
    ["DATA", "354"],
  );
  await dialogue.write("Subject: During\r\n\r\nx\r\n.\r\n");
  expect(await dialogue.reply()).toMatch(/^451 4\.3\.2 /);
  expect((await service.fetch("/readyz", key)).status).toBe(503);
  expect((await service.fetch(`/api/messages?server=${server}`, key)).status).toBe(503);
  expect((await service.fetch("/api/servers", key)).status).toBe(503);
  const status = (await (await service.fetch("/api/status", key)).json()) as {
    readonly tasks: readonly { readonly task: string; readonly lastFailure: { readonly reason: string } | null }[];
  };
  expect(status.tasks.find(({ task }) => task === "data_folder")?.lastFailure?.reason).toContain(
    `${file} was removed or renamed`,
  );
  const check = await runLocally(["check", `--data-dir=${dataDir}`], { environment: settings });
  expect(check.code).toBe(2);
  expect(check.error).toContain(`There is no database at ${file}`);

  renameSync(`${file}.away`, file);
  // The result of the last check is cached for 250 ms.
  await expect.poll(async () => (await service.fetch("/readyz", key)).status).toBe(200);
  await service.send(`a@${server}.restante.test`, "After");
  const listed = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { subject: string }[];
  expect(listed.map(({ subject }) => subject)).toEqual(["After", "Before"]);
});
