import { describe, expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import { configFrom } from "./settings/config.ts";
import type { RunningService } from "./service.ts";
import { startupMessage } from "./startup-message.ts";

function server(id: string, name: string): Server {
  const retention = { ageSecondsMax: null, messageCountMax: null };
  const held = {
    messages: 0,
    bytes: 0,
    quota: { messages: null, bytes: null },
    retention,
    readerDeletion: "delete" as const,
    retired: 0,
  };
  const times = { createdAt: 0, uidValidity: 1, expiresAt: null, trafficAt: 0, isProtected: false };
  return { id: id as ServerId, name, users: [], team: null, ...held, ...times };
}

const service: RunningService = {
  config: configFrom({ dataDir: "/srv/restante" }),
  ports: {
    http: 8025,
    https: 8443,
    smtp: 1025,
    smtps: null,
    lmtp: null,
    pop3: null,
    pop3s: null,
    imap: null,
    imaps: null,
    catchers: {},
  },
  host: "127.0.0.1",
  url: "http://127.0.0.1:8025",
  signInUrl: "http://127.0.0.1:8025/#token=t0k3n",
  servers: [server("abcd1234", "Default")],
  accountKey: { kind: "generated", secret: "s3cr3t", file: "/srv/restante/api-key" },
  caFile: "/srv/restante/tls/ca.pem",
  openOwnServer: () => Promise.reject(new Error("not used")),
  stop: () => Promise.resolve(),
};

const message = (change: Partial<RunningService> = {}): string =>
  startupMessage({ ...service, ...change }, "1.2.3", "/srv");

describe("startupMessage", () => {
  test("contains addresses, servers, key and commands to try", () => {
    expect(message()).toBe(`restante 1.2.3 is ready.

  SMTP     127.0.0.1:1025
  API      http://127.0.0.1:8025
           https://127.0.0.1:8443
  Web UI   http://127.0.0.1:8025/#token=t0k3n  (signs one browser in, once)
  Server   abcd1234  Default  <anything>@abcd1234.restante.example.com
  API key  s3cr3t  (shown once; kept in restante/api-key)
  CA       restante/tls/ca.pem

Try it:
  printf 'Subject: Hello\\r\\n\\r\\nYour code is 804 219\\r\\n' | curl smtp://127.0.0.1:1025 --mail-from app@example.com --mail-rcpt anyone@abcd1234.restante.example.com -T -
  curl -u "$(cat restante/api-key):" 'http://127.0.0.1:8025/api/messages?server=abcd1234'
`);
  });

  test("names the file of a key that was shown before, or says that the key is the operator's", () => {
    expect(message({ accountKey: { kind: "file", file: "/etc/key" } })).toContain("  API key  in /etc/key\n");
    const own = message({ accountKey: { kind: "own" } });
    expect(own).toContain("  API key  your own\n");
    expect(own).toContain('curl -u "$RESTANTE_API_KEY:"');
  });

  test("quotes paths for the shell", () => {
    expect(message({ accountKey: { kind: "file", file: "/my keys/it's" } })).toContain(`$(cat '/my keys/it'\\''s')`);
  });

  test("shows only open listeners, and commands to try only when SMTP and HTTP are open", () => {
    const text = message({
      ports: {
        http: null,
        https: null,
        smtp: null,
        smtps: 1465,
        lmtp: null,
        pop3: null,
        pop3s: null,
        imap: null,
        imaps: null,
        catchers: {},
      },
      signInUrl: null,
      caFile: null,
    });
    expect(text).toContain("  SMTPS    127.0.0.1:1465\n");
    expect(text).not.toMatch(/API {6}|Web UI|SMTP {5}|CA {7}|Try it/);
    const secure = message({
      ports: {
        http: null,
        https: 8443,
        smtp: 1025,
        smtps: null,
        lmtp: null,
        pop3: null,
        pop3s: null,
        imap: null,
        imaps: null,
        catchers: {},
      },
    });
    expect(secure).toContain("  API      https://127.0.0.1:8443\n");
  });

  test("shows at most five servers", () => {
    const [first, ...others] = ["a", "b", "c", "d", "e", "f", "g"].map((letter) => server(letter.repeat(8), letter));
    const text = message({ servers: [first as Server, ...others] });
    expect(text).toContain("eeeeeeee");
    expect(text).not.toContain("ffffffff");
    expect(text).toContain("and 2 more");
  });

  test("puts IPv6 addresses in brackets", () => {
    expect(message({ host: "::1" })).toContain("  SMTP     [::1]:1025");
  });
});
