import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FaultOutcome, FaultStage } from "../../core/fault.ts";
import { faultDecision } from "../../testing/fault-decisions.ts";
import { SmtpDialogue } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { until } from "../../testing/until.test-aid.ts";

const certificate = throwAwayCertificate();
const wrongCertificate = throwAwayCertificate();

let smtp: SmtpTestServer;
beforeEach(async () => {
  smtp = await SmtpTestServer.open({
    secureContext: certificate.secureContext,
    faultySecureContext: () => wrongCertificate.secureContext,
  });
});
afterEach(async () => smtp[Symbol.asyncDispose]());

function inject(stage: FaultStage, then: FaultOutcome): void {
  smtp.operations.faultAt = (occurrence) => (occurrence.stage === stage ? faultDecision(occurrence, then) : null);
}

describe("tls", () => {
  const failure = async (socket: TLSSocket): Promise<unknown> => {
    const [error] = (await once(socket, "error")) as unknown[];
    return (error as { code?: unknown }).code;
  };

  test("refuse: STARTTLS is answered with 454 and the session continues in clear", async () => {
    inject("starttls", { tls: "refuse" });
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "454 4.7.0"], ["MAIL FROM:<>", "250"]);
  });

  test("shows the wrong certificate, without a hint in the log, and lists the fault of clients that accept it", async () => {
    inject("starttls", { tls: "untrusted" });
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    const secured = connectTls({ socket: client.socket, ca: certificate.ca, servername: "localhost" });
    expect(await failure(secured)).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    await until(() => smtp.server.sessionCount === 0);
    expect(smtp.log.lines.filter(({ message }) => message === "TLS failure")).toEqual([]);
    await using careless = await smtp.greeted();
    await careless.play(["STARTTLS", "220"]);
    await careless.secure({ rejectUnauthorized: false });
    await careless.play(["EHLO x", "250"], ["MAIL FROM:<>", "250"], ["RCPT TO:<a@b.example>", "250"]);
    await careless.play(["DATA", "354"], ["x\r\n.", "250"]);
    expect(smtp.operations.arrivals).toMatchObject([{ faults: [{ stage: "starttls", action: "tls" }] }]);
  });

  describe("at stage connect of implicit TLS", () => {
    let secure: SmtpTestServer;
    beforeEach(async () => {
      secure = await SmtpTestServer.open({
        implicitTls: true,
        secureContext: certificate.secureContext,
        faultySecureContext: () => wrongCertificate.secureContext,
      });
    });
    afterEach(async () => secure[Symbol.asyncDispose]());
    const dial = () =>
      connectTls({ port: secure.server.port, host: "127.0.0.1", ca: certificate.ca, servername: "localhost" });
    const outcome = (then: FaultOutcome) => {
      secure.operations.faultAt = (occurrence) =>
        occurrence.stage === "connect" ? faultDecision(occurrence, then) : null;
    };

    test("asks with the handshake still to come", async () => {
      await using client = await SmtpDialogue.connect(secure.server.port, { rejectUnauthorized: false });
      await client.expect("220");
      expect(secure.operations.occurrences).toMatchObject([{ stage: "connect", isTlsHandshake: true }]);
    });

    test("shows the wrong certificate", async () => {
      outcome({ tls: "wrong-name" });
      expect(await failure(dial())).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    });

    test("closes the connection instead of the handshake (refuse)", async () => {
      outcome({ tls: "refuse" });
      expect(await failure(dial())).toBe("ECONNRESET");
    });

    test("sends the reply of a rule after the handshake", async () => {
      outcome({ reply: { code: 421, text: "Busy" } });
      await using client = await SmtpDialogue.connect(secure.server.port, { rejectUnauthorized: false });
      expect(await client.rest()).toBe("421 4.0.0 Busy\r\n");
    });

    test("sends no reply in clear when it stops before the handshake", async () => {
      outcome({ delayMs: 60_000 });
      const client = connect({ port: secure.server.port, host: "127.0.0.1" });
      const received: Buffer[] = [];
      client.on("data", (bytes: Buffer) => received.push(bytes));
      await until(() => secure.clock.appointmentCount === 2);
      const closed = secure.server.close();
      await once(client, "end");
      client.destroy();
      await closed;
      expect(Buffer.concat(received).length).toBe(0);
    });
  });
});
