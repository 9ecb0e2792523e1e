/** A service whose certificate is issued by an authority with ACME. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { startService, type RunningService } from "../../src/app/service.ts";
import { configFrom } from "../../src/app/settings/config.ts";
import { AcmeTestServer } from "../../src/testing/acme-server.test-aid.ts";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";

const key = "an-account-key-of-this-journey";
const names = ["mx.corp.example", "mta-sts.corp.example"];

/** Resolves when the status shows that the certificate was issued. */
async function issued(service: RunningService): Promise<void> {
  for (;;) {
    const response = await fetch(`${service.url}/api/status`, { headers: { authorization: `Bearer ${key}` } });
    if (/"task":"acme_certificate","state":"ok"/.test(await response.text())) return;
  }
}

test("issues a certificate to a started service, which all listeners use at once and after a restart", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-acme-"));
  await using authority = await AcmeTestServer.open();
  authority.challengePort = await freePort();
  const config = configFrom({
    dataDir,
    httpPort: 0,
    httpsPort: 0,
    smtpPort: 0,
    apiKey: key,
    log: "silent",
    mx: "mx.corp.example",
    mailDomain: "corp.example",
    smtpStarttls: "always",
    acme: authority.directory,
    acmePort: authority.challengePort,
  });
  for (const _ of ["first start", "second start"]) {
    const service = await startService(config, { durable: false });
    await issued(service);
    const { ca } = authority;
    for (const servername of names) {
      const socket = connect({ port: service.ports.https ?? 0, servername, ca });
      await once(socket, "secureConnect");
      socket.destroy();
      await using dialogue = await SmtpDialogue.connect(service.ports.smtp ?? 0);
      await dialogue.expect("220 mx.corp.example ");
      await dialogue.play(["EHLO sender.example", "250"], ["STARTTLS", "220"]);
      await dialogue.secure({ servername, ca });
      await dialogue.play(["EHLO sender.example", "250"], ["QUIT", "221"]);
    }
    const base = `http://127.0.0.1:${String(authority.challengePort)}`;
    for (const path of ["/.well-known/acme-challenge/unknown", "/healthz", "/api/servers", "/"]) {
      expect((await fetch(base + path)).status).toBeOneOf([404, 405]);
    }
    await service.stop();
  }
  expect(authority.contacts).toHaveLength(1);
  rmSync(dataDir, { recursive: true });
});
