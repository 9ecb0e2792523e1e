/** Nodes that receive mail from the Internet on one database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import { systemClock } from "../../src/core/clock.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";

test("nodes accept at one of them the second attempt of a mail that another has deferred", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-grey-"));
  const databaseUrl = await testDatabaseUrl();
  let offsetMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + offsetMs };
  const start = async (name: string): Promise<RunningService> => {
    const config = configFrom({
      dataDir: join(folder, name),
      databaseUrl,
      secretKey: "a-secret-key-for-journeys",
      httpPort: 0,
      httpsPort: null,
      smtpPort: 0,
      mx: "mx.corp.example",
      mailDomain: "corp.example",
      smtpProxies: ["127.0.0.1"],
      greylistMs: 60_000,
      dns: "off",
      apiKey: "an-account-key-of-this-journey",
      log: "silent",
    });
    return startService(config, { clock });
  };
  const attempt = async ({ ports }: RunningService, sender: string, expected: string): Promise<void> => {
    await using dialogue = await SmtpDialogue.connect(ports.smtp ?? 0);
    await dialogue.write("PROXY TCP4 8.51.100.8 127.0.0.1 51834 25\r\n");
    await dialogue.expect("220");
    await dialogue.play(["EHLO x", "250"], [`MAIL FROM:<${sender}>`, "250"], ["RCPT TO:<x@corp.example>", expected]);
  };
  const deferred = "451 4.7.1 Greylisted, please try again in ";
  const [a, b] = [await start("a"), await start("b")];
  await attempt(a, "a@b.example", deferred);
  await attempt(b, "a@b.example", deferred);
  offsetMs += 60_000;
  await attempt(b, "a@b.example", "250 2.1.5 Ok");
  await attempt(b, "c@b.example", deferred);
  await a.stop();
  const again = await start("a");
  await attempt(again, "a@b.example", "250 2.1.5 Ok");
  await Promise.all([again.stop(), b.stop()]);
  rmSync(folder, { recursive: true });
});
