import { describe, expect, test } from "vitest";
import { startScriptedSmtpServer, type ScriptedServerOptions } from "../../testing/scripted-smtp-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { probeStartTls } from "./smtp-relay.ts";

const { ca, secureContext } = throwAwayCertificate(["mx.corp.example"]);
const secure: ScriptedServerOptions = { secureContext, keywords: ["STARTTLS"] };

/** Probes a server; returns what it received, or the reason. */
async function probe(options: ScriptedServerOptions, host = "mx.corp.example", trusted: string | undefined = ca) {
  await using server = await startScriptedSmtpServer(options);
  const asked = { address: "127.0.0.1", port: server.port, host, ...(trusted !== undefined && { ca: trusted }) };
  return await probeStartTls(asked).then(
    () => server.connections[0]?.map((line) => line.split(" ", 1)[0]),
    (error: unknown) => (error as Error).message,
  );
}

describe("probeStartTls", () => {
  test("resolves for a valid certificate, and sends no mail", async () => {
    const lines = await probe(secure);
    expect(lines).toContain("TLS");
    expect(lines).not.toContain("MAIL");
  });

  test("gives the reason against a server without STARTTLS, with another name, or with another authority", async () => {
    expect(await probe({ script: { STARTTLS: ["502 5.5.1 Error: command not implemented"] } })).toMatch(/STARTTLS/);
    expect(await probe(secure, "other.example")).toMatch(/Host: other\.example/);
    expect(await probe(secure, "mx.corp.example", throwAwayCertificate().ca)).toMatch(/certificate/);
  });

  test("gives the reason against a port that does not answer, or not as a mail server", async () => {
    expect(await probe({ script: { GREETING: ["554 no"] } })).toMatch(/554/);
    await expect(probeStartTls({ address: "127.0.0.1", port: 1, host: "mx.corp.example" })).rejects.toThrow(/REFUSED/);
  });
});
