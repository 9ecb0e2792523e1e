import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { keyPem, createAuthority, createServerIdentity } from "./certificate.ts";
import {
  CertificateError,
  createSecureContextSource,
  type CertificateEvent,
  type CertificateFiles,
  type SecureContextSource,
} from "./secure-context-source.ts";

const dayMs = 86_400_000;
const names = { required: ["localhost", "127.0.0.1", "restante.test", "*.restante.test"], optional: ["box"] };

let folder: string;
let clock: FakeClock;
let events: CertificateEvent[];

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "restante-tls-")), "tls");
  clock = new FakeClock(Date.parse("2026-11-20T10:00:00Z"));
  events = [];
});
afterEach(() => {
  rmSync(join(folder, ".."), { recursive: true });
});

function open(overrides: { names?: typeof names; own?: CertificateFiles } = {}): SecureContextSource {
  const onEvent = (event: CertificateEvent): void => void events.push(event);
  return createSecureContextSource({ folder, names, own: null, clock, onEvent, ...overrides });
}
const read = (name: string): X509Certificate => new X509Certificate(readFileSync(join(folder, name)));

describe("the local CA", () => {
  test("is created on the first start, readable by its owner only, and reported", () => {
    const source = open();
    expect(source.caFile).toBe(join(folder, "ca.pem"));
    expect(events).toEqual([{ kind: "authority_made", caFile: source.caFile }]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(["ca-key.pem", "ca.pem", "server.pem"]);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(read("server.pem").subjectAltName).toContain("DNS:box");
  });

  test("is valid for ten years, its server certificates for thirteen months", () => {
    open();
    const days = (name: string): number => Math.round((read(name).validToDate.getTime() - clock.now()) / dayMs);
    expect([days("ca.pem"), days("server.pem")]).toEqual([3652, 397]);
  });

  test("is kept over restarts with the server certificate", () => {
    open();
    const before = [read("ca.pem").serialNumber, read("server.pem").serialNumber];
    open();
    expect([read("ca.pem").serialNumber, read("server.pem").serialNumber]).toEqual(before);
    expect(events).toHaveLength(1);
  });

  test("renews the server certificate 30 days before it expires, for the next handshake", () => {
    const source = open();
    const first = { context: source.current(), serial: read("server.pem").serialNumber };
    const notified: string[] = [];
    source.onChange(() => notified.push(source.credentials().cert));
    clock.advance(366 * dayMs);
    expect([source.current(), read("server.pem").serialNumber]).toEqual([first.context, first.serial]);
    clock.advance(2 * dayMs);
    expect(source.current()).not.toBe(first.context);
    expect(read("server.pem").serialNumber).not.toBe(first.serial);
    expect(notified.map((pem) => new X509Certificate(pem).serialNumber)).toEqual([read("server.pem").serialNumber]);
    expect(events).toHaveLength(1);
  });

  test("is renewed before a server certificate would outlive it", () => {
    open().close();
    const first = read("ca.pem").serialNumber;
    clock.advance(3000 * dayMs);
    const source = open();
    expect(read("ca.pem").serialNumber).toBe(first);
    clock.advance(256 * dayMs);
    expect(read("ca.pem").serialNumber).not.toBe(first);
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(events).toHaveLength(2);
    source.close();
  });

  test("stops renewing once closed", () => {
    const source = open();
    const first = read("server.pem").serialNumber;
    source.close();
    clock.advance(500 * dayMs);
    expect(read("server.pem").serialNumber).toBe(first);
  });

  test("is kept when an optional name changed, which is then omitted", () => {
    open();
    const first = read("ca.pem").serialNumber;
    open({ names: { ...names, optional: ["other"] } });
    expect(read("ca.pem").serialNumber).toBe(first);
    expect(read("server.pem").subjectAltName).not.toMatch(/box|other/);
  });

  test("is replaced and reported when it does not permit a required name", () => {
    open();
    const first = read("ca.pem").serialNumber;
    open({ names: { ...names, required: [...names.required, "qa.example"] } });
    expect(read("ca.pem").serialNumber).not.toBe(first);
    expect(read("server.pem").checkHost("qa.example")).toBeDefined();
    expect(events).toHaveLength(2);
  });

  test.each(["ca.pem", "ca-key.pem", "server.pem"])("recovers from a damaged %s", (file) => {
    open();
    writeFileSync(join(folder, file), "damaged");
    open();
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(events).toHaveLength(file === "server.pem" ? 1 : 2);
  });
});

describe("certificate files of the operator", () => {
  function bring(host: string): CertificateFiles {
    const lifetime = { notBefore: clock.now(), notAfter: clock.now() + dayMs };
    const authority = createAuthority({ names: [host], ...lifetime });
    const identity = createServerIdentity({ names: [host], ...lifetime }, authority);
    const files = { certFile: join(folder, "../own.pem"), keyFile: join(folder, "../own-key.pem") };
    writeFileSync(files.certFile, identity.certificate.toString() + authority.certificate.toString());
    writeFileSync(files.keyFile, keyPem(identity.key));
    return files;
  }

  test("are used instead of a local CA, which is not created", () => {
    const source = open({ own: bring("mail.example") });
    expect(source.caFile).toBeNull();
    expect(readdirSync(join(folder, ".."))).not.toContain("tls");
  });

  test("are reloaded within a minute after a change", () => {
    const source = open({ own: bring("mail.example") });
    const first = source.current();
    clock.advance(60_000);
    expect(source.current()).toBe(first);
    bring("other-mail.example");
    clock.advance(60_000);
    expect(source.current()).not.toBe(first);
    expect(events).toEqual([{ kind: "certificate_reloaded" }]);
  });

  test("are replaced by the last usable certificate, with one report, when they become unusable", () => {
    const files = bring("mail.example");
    const source = open({ own: files });
    const first = source.current();
    writeFileSync(files.keyFile, "half a ke");
    clock.advance(180_000);
    expect(source.current()).toBe(first);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: "certificate_unusable" });
  });

  test("are rejected when they are missing, unreadable or do not match", () => {
    const files = bring("mail.example");
    expect(() => open({ own: { ...files, keyFile: join(folder, "absent.pem") } })).toThrow(/absent\.pem.*ENOENT/);
    writeFileSync(files.keyFile, keyPem(createAuthority({ names: [], notBefore: 0, notAfter: 1 }).key));
    expect(() => open({ own: files })).toThrow(CertificateError);
  });
});
