/** Release over MailHog's API: the response tells whether the relay has taken the mail. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { startScriptedSmtpServer } from "../../src/testing/scripted-smtp-server.ts";

test.each([
  ["250 2.0.0 Ok", 200],
  ["554 5.7.1 Rejected", 500],
])("responds when the relay has replied %s", async (content, status) => {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-release-"));
  await using relay = await startScriptedSmtpServer({ script: { CONTENT: [content] } });
  await using service = await LocalService.start(["--mailhog-port=0"], {
    RESTANTE_API_KEY: "key-of-the-whole-account-1",
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop",
    RESTANTE_RELAY_URL: `smtp://127.0.0.1:${relay.port}`,
    RESTANTE_VERIFIED: "friend@outside.example",
  });
  await service.send("ada@abcd1234.restante.test", "Receipt");
  const hog = service.shown("MailHog");
  const [{ ID: id = "" } = {}] = (await (await fetch(`${hog}/api/v1/messages`)).json()) as readonly { ID?: string }[];
  const body = JSON.stringify({ Email: "friend@outside.example", Host: "smtp.test" });
  const response = await fetch(`${hog}/api/v1/messages/${id}/release`, { method: "POST", body });
  expect([response.status, relay.contents.length]).toEqual([status, 1]);
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
