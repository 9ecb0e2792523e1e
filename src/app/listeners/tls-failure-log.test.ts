import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { createTlsFailureLog, type TlsFailureLog } from "./tls-failure-log.ts";

let clock: FakeClock;
let lines: Readonly<Record<string, unknown>>[];
let report: TlsFailureLog;
beforeEach(() => {
  clock = new FakeClock();
  lines = [];
  report = createTlsFailureLog({ warn: (fields) => void lines.push(fields) }, clock, {
    caFile: "/srv/tls/ca.pem",
    isPublic: false,
  });
});

const alert = (code: string): Error => Object.assign(new Error("secret text of a stranger"), { code });

describe("TLS failure log", () => {
  test("gives a hint when a client rejects the certificate", () => {
    report("https")(alert("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"));
    expect(lines).toMatchObject([{ listener: "https", reason: "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA" }]);
    expect(lines[0]?.["hint"]).toContain("/srv/tls/ca.pem");
    expect(lines[0]?.["hint"]).not.toContain("STARTTLS");
  });

  test("treats a connection closed during the handshake as a rejected certificate over SMTP only", () => {
    report("smtp")(null);
    report("https")(null);
    expect(lines[0]?.["hint"]).toContain("RESTANTE_SMTP_STARTTLS=never");
    expect(lines[1]).toEqual({ listener: "https", reason: "closed" });
  });

  test("names RESTANTE_TLS_CERT when there is no local CA", () => {
    createTlsFailureLog({ warn: (fields) => void lines.push(fields) }, clock, { caFile: null, isPublic: false })(
      "smtp",
    )(null);
    expect(lines[0]?.["hint"]).toContain("RESTANTE_TLS_CERT");
  });

  test("names RESTANTE_ACME to mail hosts of the Internet, which must not do without STARTTLS", () => {
    const hints = { caFile: "/srv/tls/ca.pem", isPublic: true };
    createTlsFailureLog({ warn: (fields) => void lines.push(fields) }, clock, hints)("smtp")(null);
    expect(lines[0]?.["hint"]).toContain("RESTANTE_ACME");
    expect(lines[0]?.["hint"]).not.toContain("RESTANTE_SMTP_STARTTLS");
  });

  test("writes one line per minute and listener and counts the others", () => {
    for (let count = 0; count < 1000; count += 1) report("smtp")(alert("ECONNRESET"));
    report("https")(alert("ERR_SSL_HTTP_REQUEST"));
    expect(lines.map(({ listener }) => listener)).toEqual(["smtp", "https"]);
    clock.advance(60_000);
    report("smtp")(null);
    report("smtp")(null);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatchObject({ listener: "smtp", suppressedCount: 999 });
  });

  test("never contains the text of an error", () => {
    report("https")(alert("ERR_SSL_WRONG_VERSION_NUMBER"));
    expect(JSON.stringify(lines)).not.toContain("stranger");
  });
});
