import { once } from "node:events";
import { connect, createServer } from "node:net";
import { connect as connectTls, TLSSocket, type SecureContext } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority } from "./certificate.ts";
import { defaultTlsRules, protocolOptions } from "./tls-rules.ts";
import { createFaultyContexts } from "./faulty-contexts.ts";

const dayMs = 86_400_000;
const now = Date.now();
const names = ["localhost", "127.0.0.1", "restante.test", "*.restante.test"];
const authority = createAuthority({ names, notBefore: now - dayMs, notAfter: now + 3652 * dayMs });
const contexts = createFaultyContexts({
  protocol: protocolOptions(defaultTlsRules),
  names,
  authority: () => authority,
  now: () => now,
});

/** Returns the error code of a client that trusts the CA. */
async function errorOf(secureContext: SecureContext): Promise<unknown> {
  const listener = createServer((socket) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    // The client reports the failure.
    secured.on("error", () => undefined);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  const client = connectTls({ socket, ca: authority.certificate.toString(), servername: "localhost" });
  const [error] = (await once(client, "error")) as unknown[];
  client.destroy();
  listener.close();
  return (error as { code?: unknown }).code;
}

test.each([
  ["expired", /^CERT_HAS_EXPIRED$/],
  ["wrong-name", /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ["untrusted", /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/],
  ["handshake", /_ALERT_HANDSHAKE_FAILURE$/],
] as const)("%s: a client that trusts the CA fails with %s", async (failure, code) => {
  expect(await errorOf(contexts(failure))).toMatch(code);
  expect(contexts(failure)).toBe(contexts(failure));
});
