import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { keyPem, makeAuthority, makeServerIdentity } from "./certificate.ts";
import {
  CertificateRefused,
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
  test("is made on the first start, readable to its owner only, and announced", () => {
    const source = open();
    expect(source.caFile).toBe(join(folder, "ca.pem"));
    expect(events).toEqual([{ kind: "authority_made", caFile: source.caFile }]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(["ca-key.pem", "ca.pem", "server.pem"]);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(read("server.pem").subjectAltName).toContain("DNS:box");
  });

  test("lasts ten years, its server certificates thirteen months", () => {
    open();
    const days = (name: string): number => Math.round((read(name).validToDate.getTime() - clock.now()) / dayMs);
    expect([days("ca.pem"), days("server.pem")]).toEqual([3652, 397]);
  });

  test("is kept over restarts, and so is the server certificate", () => {
    open();
    const before = [read("ca.pem").serialNumber, read("server.pem").serialNumber];
    open();
    expect([read("ca.pem").serialNumber, read("server.pem").serialNumber]).toEqual(before);
    expect(events).toHaveLength(1);
  });

  test("renews the server certificate while running, 30 days before its end, and gives it to the next handshake", () => {
    const source = open();
    const first = { context: source.current(), serial: read("server.pem").serialNumber };
    const told: string[] = [];
    source.onChange(() => told.push(source.credentials().cert));
    clock.advance(366 * dayMs);
    expect([source.current(), read("server.pem").serialNumber]).toEqual([first.context, first.serial]);
    clock.advance(2 * dayMs);
    expect(source.current()).not.toBe(first.context);
    expect(read("server.pem").serialNumber).not.toBe(first.serial);
    expect(told.map((pem) => new X509Certificate(pem).serialNumber)).toEqual([read("server.pem").serialNumber]);
    expect(events).toHaveLength(1);
  });

  test("is itself renewed before a server certificate would outlive it", () => {
    const source = open();
    const first = read("ca.pem").serialNumber;
    clock.advance(3256 * dayMs);
    expect(read("ca.pem").serialNumber).not.toBe(first);
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(events).toHaveLength(2);
    source.close();
  });

  test("stops looking once closed", () => {
    const source = open();
    const first = read("server.pem").serialNumber;
    source.close();
    clock.advance(500 * dayMs);
    expect(read("server.pem").serialNumber).toBe(first);
  });

  test("stays when only the machine's own name changed, which it then leaves out", () => {
    open();
    const first = read("ca.pem").serialNumber;
    open({ names: { ...names, optional: ["other"] } });
    expect(read("ca.pem").serialNumber).toBe(first);
    expect(read("server.pem").subjectAltName).not.toMatch(/box|other/);
  });

  test("is replaced, and that announced, when it cannot speak for a required name", () => {
    open();
    const first = read("ca.pem").serialNumber;
    open({ names: { ...names, required: [...names.required, "qa.example"] } });
    expect(read("ca.pem").serialNumber).not.toBe(first);
    expect(read("server.pem").checkHost("qa.example")).toBeDefined();
    expect(events).toHaveLength(2);
  });

  test.each(["ca.pem", "ca-key.pem", "server.pem"])("is usable again after %s was damaged", (file) => {
    open();
    writeFileSync(join(folder, file), "damaged");
    open();
    expect(read("server.pem").checkIssued(read("ca.pem"))).toBe(true);
    expect(events).toHaveLength(file === "server.pem" ? 1 : 2);
  });
});

describe("the operator's own certificate", () => {
  function bring(host: string): CertificateFiles {
    const lifetime = { notBefore: clock.now(), notAfter: clock.now() + dayMs };
    const authority = makeAuthority({ names: [host], ...lifetime });
    const identity = makeServerIdentity({ names: [host], ...lifetime }, authority);
    const files = { certFile: join(folder, "../own.pem"), keyFile: join(folder, "../own-key.pem") };
    writeFileSync(files.certFile, identity.certificate.toString() + authority.certificate.toString());
    writeFileSync(files.keyFile, keyPem(identity.key));
    return files;
  }

  test("is used instead of a local CA, which is then not made", () => {
    const source = open({ own: bring("mail.example") });
    expect(source.caFile).toBeNull();
    expect(readdirSync(join(folder, ".."))).not.toContain("tls");
  });

  test("is read again within a minute when it changes", () => {
    const source = open({ own: bring("mail.example") });
    const first = source.current();
    clock.advance(60_000);
    expect(source.current()).toBe(first);
    bring("other-mail.example");
    clock.advance(60_000);
    expect(source.current()).not.toBe(first);
    expect(events).toEqual([{ kind: "certificate_reloaded" }]);
  });

  test("stays in force, and the problem is reported once, when it changes to something unusable", () => {
    const files = bring("mail.example");
    const source = open({ own: files });
    const first = source.current();
    writeFileSync(files.keyFile, "half a ke");
    clock.advance(180_000);
    expect(source.current()).toBe(first);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: "certificate_unusable" });
  });

  test("is refused at the start when files are missing, unreadable or do not belong together", () => {
    const files = bring("mail.example");
    expect(() => open({ own: { ...files, keyFile: join(folder, "absent.pem") } })).toThrow(/absent\.pem.*ENOENT/);
    writeFileSync(files.keyFile, keyPem(makeAuthority({ names: [], notBefore: 0, notAfter: 1 }).key));
    expect(() => open({ own: files })).toThrow(CertificateRefused);
  });
});
