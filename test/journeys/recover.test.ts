/** A database with a damaged page: the service takes no mail, each message names the next step, and the step works. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { runLocally } from "./local-command.ts";

const server = "page1234";
const settings = { RESTANTE_SERVERS: `${server}:Damaged`, RESTANTE_LOG: "error" };

test("a service takes no mail once a list has failed, and `restante recover` rebuilds what the damaged page held", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-recover-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const [dataDir, recovered] = [join(folder, "data"), join(folder, "recovered")];
  const subjects = ["One", "Two", "Three"];
  {
    await using service = await LocalService.start([`--data-dir=${dataDir}`], settings);
    for (const subject of subjects) await service.send(`a@${server}.restante.test`, subject);
  }
  damageRootOf("message", join(dataDir, "restante.db"));
  const key = readFileSync(join(dataDir, "api-key"), "utf8").trim();
  {
    await using service = await LocalService.start([`--data-dir=${dataDir}`], settings);
    const list = await service.fetch(`/api/messages?server=${server}`, key);
    expect([list.status, await list.text()]).toEqual([500, expect.stringContaining("restante check")]);
    await using dialogue = await service.greet();
    await dialogue.play(
      ["EHLO test", "250"],
      ["MAIL FROM:<app@example.com>", "250"],
      [`RCPT TO:<a@${server}.restante.test>`, "250"],
      ["DATA", "354"],
    );
    await dialogue.write("Subject: During\r\n\r\nx\r\n.\r\n");
    expect(await dialogue.reply()).toMatch(/^451 4\.3\.0 /);
    await expect.poll(async () => (await service.fetch("/readyz", key)).status).toBe(503);
  }
  const check = await runLocally(["check", `--data-dir=${dataDir}`], { environment: settings });
  expect(check.code).toBe(1);
  expect(check.out).toContain("restante recover");
  const recover = await runLocally(["recover", dataDir, `--data-dir=${recovered}`], { environment: settings });
  expect(recover.out).toContain("table message: 0 rows copied around 1 damaged places");
  expect(recover.code).toBe(1);
  await using service = await LocalService.start([`--data-dir=${recovered}`], settings);
  const listed = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { subject: string }[];
  expect(listed.map(({ subject }) => subject)).toEqual(subjects.toReversed());
});

function damageRootOf(table: string, file: string): void {
  let page: number;
  {
    using database = new DatabaseSync(file);
    page = Number(database.prepare("select rootpage from sqlite_schema where name = ?").get(table)?.["rootpage"]);
  }
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(descriptor);
}
