import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import {
  keyPem,
  createAuthority,
  createServerIdentity,
  namesExactly,
  permitsName,
  readIdentity,
} from "./certificate.ts";

const now = Date.now();
const lifetime = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
const authority = createAuthority({
  names: ["localhost", "restante.test", "*.restante.test", "203.0.113.7"],
  ...lifetime,
});

async function handshake(names: readonly string[], servername: string): Promise<string> {
  const identity = createServerIdentity({ names, ...lifetime }, authority);
  const server = createServer({ cert: identity.certificate.toString(), key: keyPem(identity.key) }, (socket) => {
    socket.on("error", () => socket.destroy()).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client: TLSSocket = connect({ host: "127.0.0.1", port, servername, ca: authority.certificate.toString() });
  try {
    await once(client, "secureConnect");
    return "trusted";
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.destroy();
    server.close();
  }
}

describe("createAuthority", () => {
  test("creates a self-signed CA with a key identifier that cannot sign further CAs", () => {
    const { certificate } = authority;
    expect(certificate.ca).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toMatch(/^CN=restante local CA [0-9a-f]{8}$/);
    expect(certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  test("gives each CA a distinct name, so that clients can trust several", () => {
    expect(createAuthority({ names: ["localhost"], ...lifetime }).certificate.subject).not.toBe(
      authority.certificate.subject,
    );
  });

  test("permits its names, their subdomains and private addresses only", () => {
    const { certificate } = authority;
    for (const name of ["localhost", "restante.test", "*.restante.test", "203.0.113.7"]) {
      expect(permitsName(certificate, name)).toBe(true);
    }
    for (const name of ["test", "example.com", "203.0.113.8", "tante.test"]) {
      expect(permitsName(certificate, name)).toBe(false);
    }
  });
});

describe("createServerIdentity", () => {
  const names = ["localhost", "*.restante.test", "127.0.0.1", "::1"];
  const { certificate, key } = createServerIdentity({ names, ...lifetime }, authority);

  test("creates a certificate for exactly its names that is not a CA", () => {
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(authority.certificate)).toBe(true);
    expect(certificate.verify(authority.certificate.publicKey)).toBe(true);
    expect(certificate.checkHost("abcd1234.restante.test")).toBeDefined();
    expect(certificate.checkHost("example.com")).toBeUndefined();
    expect(certificate.checkIP("::1")).toBeDefined();
    expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
    expect(namesExactly(certificate, names)).toBe(true);
    expect(namesExactly(certificate, names.slice(1))).toBe(false);
  });

  test("sets the validity to the second", () => {
    expect(certificate.validFromDate.getTime()).toBe(Math.floor(lifetime.notBefore / 1000) * 1000);
    expect(certificate.validToDate.getTime()).toBe(Math.floor(lifetime.notAfter / 1000) * 1000);
  });

  test("is parsed from its PEM, with its own key only", () => {
    expect(readIdentity(certificate.toString(), keyPem(key))?.certificate.serialNumber).toBe(certificate.serialNumber);
    expect(readIdentity(certificate.toString(), keyPem(authority.key))).toBeUndefined();
    expect(readIdentity("", "")).toBeUndefined();
    expect(readIdentity("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", keyPem(key))).toBeUndefined();
  });

  test("is trusted for permitted names and private addresses", async () => {
    expect(await handshake(["localhost", "127.0.0.1"], "localhost")).toBe("trusted");
    expect(await handshake(["*.restante.test"], "abcd1234.restante.test")).toBe("trusted");
    expect(await handshake(["localhost", "192.168.1.20", "fd00::2", "203.0.113.7"], "localhost")).toBe("trusted");
  });

  test("is not trusted for names and addresses outside of the constraints", async () => {
    expect(await handshake(["example.com"], "example.com")).toBe("permitted subtree violation");
    expect(await handshake(["localhost", "203.0.113.8"], "localhost")).toBe("permitted subtree violation");
  });
});
