/** Access for clients that verify certificates or cannot set a port or host, configured by `restante env`. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, rootCertificates, type TLSSocket } from "node:tls";
import { createTransport } from "nodemailer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService } from "../../src/app/service.ts";
import { openLog } from "../../src/app/log/log.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";
import { storeSettings } from "./store-under-test.ts";
import { throwAwayCertificate } from "../../src/testing/throw-away-certificate.ts";

const settings = { RESTANTE_API_KEY: "a-key-for-journeys", RESTANTE_SERVERS: "jrny1234:Journey,othr1234:Other" };

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-way-in-"));
  dataDir = join(folder, `it's a "data" $folder`);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const dataDirFlag = (): string => `--data-dir=${dataDir}`;
const environment = async (): Promise<Record<string, string>> => ({ ...settings, ...(await storeSettings(dataDir)) });
const start = async (...argv: string[]): Promise<LocalService> =>
  LocalService.start([dataDirFlag(), ...argv], await environment());
/** `test/snippets` runs the command in shells, and `compat/node` in a process of its own. */
const env = (...flags: string[]): ReturnType<typeof runLocally> =>
  runLocally(["env", `--data-dir=${dataDir}`, ...flags], { environment: settings });
async function variables(...flags: string[]): Promise<Record<string, string>> {
  return JSON.parse((await env("--json", ...flags)).out) as Record<string, string>;
}
const httpsUrl = (service: ServiceAccess): URL => new URL(/https:\S+/.exec(service.message)?.[0] ?? "");

async function statusOf(url: URL, ca: string): Promise<number | undefined> {
  const [response] = (await once(get(new URL("/healthz", url), { ca, agent: false }), "response")) as [
    { statusCode?: number; resume: () => void },
  ];
  response.resume();
  return response.statusCode;
}

describe("restante env", () => {
  test("sets the variables of the service when a shell evaluates it in any folder", async () => {
    await using service = await start();
    const { out } = await env();
    const expected = await variables();
    const names = Object.keys(expected);
    const script = `eval "$1"; for name in ${names.join(" ")}; do eval "printf '%s\\n' \\"\\$$name\\""; done`;
    const shown = execFileSync("sh", ["-c", script, "sh", out], { encoding: "utf8" }).trim().split("\n");
    expect(shown).toEqual(Object.values(expected));
    expect(expected).toMatchObject({
      MAILOSAUR_API_KEY: "a-key-for-journeys",
      MAILOSAUR_SERVER: "jrny1234",
      MAILOSAUR_BASE_URL: `${service.url}/`,
      MAILOSAUR_SMTP_HOST: "restante.example.com",
      RESTANTE_SMTP_HOST: "localhost",
      MAILOSAUR_SMTP_PORT: String(service.smtpPort),
      NODE_EXTRA_CA_CERTS: join(dataDir, "tls", "ca.pem"),
    });
  });

  test("names a bundle of the public roots and the local CA, with which SMTP and HTTPS are trusted", async () => {
    await using service = await start();
    const { SSL_CERT_FILE: file = "", REQUESTS_CA_BUNDLE, MAILOSAUR_SMTP_PORT } = await variables();
    expect(REQUESTS_CA_BUNDLE).toBe(file);
    const bundle = readFileSync(file, "utf8");
    expect(bundle.match(/BEGIN CERTIFICATE/g)).toHaveLength(rootCertificates.length + 1);
    expect(await statusOf(httpsUrl(service), bundle)).toBe(200);

    const envelope = { from: "app@example.com", to: ["anyone@jrny1234.localhost"] };
    const send = async (ca: string): Promise<void> => {
      const smtp = { host: "localhost", port: Number(MAILOSAUR_SMTP_PORT), requireTLS: true, tls: { ca } };
      const transport = createTransport(smtp);
      await transport.sendMail({ envelope, raw: "Subject: By STARTTLS\r\n\r\nHello\r\n" });
      transport.close();
    };
    await send(bundle);
    await expect(send(rootCertificates.join("\n"))).rejects.toThrow(/certificate/);
    expect(await service.subjects("jrny1234", settings.RESTANTE_API_KEY)).toEqual(["By STARTTLS"]);
  });

  test("reports what to do when no service is running, and rejects unknown shells", async () => {
    const absent = await env("--json");
    expect([absent.code, absent.out]).toEqual([1, ""]);
    expect(absent.error).toBe(
      `restante: No service is running in ${dataDir}; start restante serve, or set --data-dir\n`,
    );
    const unknown = await env("--shell=tcsh");
    expect([unknown.code, unknown.error]).toEqual([
      2,
      'restante: --shell: "tcsh" is not one of sh, fish, powershell\n',
    ]);
  });

  test("supports other shells, another server, and the requested method", async () => {
    await using _service = await start();
    expect((await env("--shell", "fish")).out).toMatch(/^set -gx MAILOSAUR_API_KEY 'a-key-for-journeys'\n/);
    expect((await env("--shell=powershell")).out).toMatch(/^\$env:MAILOSAUR_API_KEY = 'a-key-for-journeys'\r?\n/);
    expect(await variables("--server=othr1234", "--redirect")).toMatchObject({
      MAILOSAUR_SERVER: "othr1234",
      NODE_OPTIONS: expect.stringMatching(/^--import=file:.*\/redirect\.js$/) as string,
    });
  });

  test("rejects --proxy when the tunnel cannot work", async () => {
    await using service = await start("--https-port=off");
    const { code, error } = await env("--proxy");
    expect([code, error]).toEqual([1, expect.stringContaining("RESTANTE_HTTPS_PORT")]);
    expect(await connectStatus(service, "mailosaur.com:443")).toBe(403);
  });
});

describe("a restante env that fails", () => {
  const evaluate = async (...flags: string[]): Promise<{ status: string; shown: string }> => {
    const { out } = await env(...flags);
    const script = `MAILOSAUR_API_KEY=hosted MAILOSAUR_SERVER=old RESTANTE_URL=old NODE_EXTRA_CA_CERTS=old
      eval "$1"; printf '%s:' $?; printf '%s' "$MAILOSAUR_API_KEY$MAILOSAUR_SERVER$RESTANTE_URL$NODE_EXTRA_CA_CERTS"`;
    const [status = "", shown = ""] = execFileSync("sh", ["-c", script, "sh", out], { encoding: "utf8" }).split(":");
    return { status, shown };
  };

  test("unsets every variable and fails in the shell that evaluates it", async () => {
    expect(await evaluate()).toEqual({ status: "1", shown: "" });
    expect((await env("--shell=fish")).out).toMatch(/^(?:set -e \w+\n)+false\n$/);
    expect((await env("--shell=powershell")).out).toMatch(/^(?:\$env:\w+ = \$null\n)+throw '.+'\n$/);
    expect((await env("--proxy", "--redirect")).out).toMatch(/^unset HTTPS_PROXY$[^]*^unset NODE_OPTIONS$/m);
  });

  test("reports that the server does not exist, or that the key is invalid", async () => {
    await using _service = await start();
    const { code, error } = await env("--server=none1234");
    expect([code, error]).toEqual([1, "restante: --server: there is no server none1234\n"]);
    expect(await evaluate("--server=none1234")).toEqual({ status: "1", shown: "" });
    const wrong = { environment: { RESTANTE_API_KEY: "a-wrong-key-for-journeys" } };
    const refused = await runLocally(["env", `--data-dir=${dataDir}`], wrong);
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("Invalid API key")]);
    expect(refused.out).toMatch(/^unset RESTANTE_API_KEY$/m);
  });
});

test("restante env keeps the certificates that programs already trust", async () => {
  await using _service = await start();
  const corporate = join(folder, "corporate.pem");
  writeFileSync(corporate, `# ours\n${rootCertificates[0] ?? ""}\n`);
  const environment = { ...settings, NODE_EXTRA_CA_CERTS: corporate, SSL_CERT_FILE: corporate };
  const ask = async (more: Record<string, string>): Promise<Record<string, string>> => {
    const { out } = await runLocally(["env", "--json", `--data-dir=${dataDir}`], {
      environment: { ...environment, ...more },
    });
    return JSON.parse(out) as Record<string, string>;
  };
  const first = await ask({});
  const local = readFileSync(join(dataDir, "tls", "ca.pem"), "utf8").trim();
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    expect(readFileSync(first[name] ?? "", "utf8")).toBe(`${rootCertificates[0]?.trim() ?? ""}\n${local}\n`);
  }
  expect(first["REQUESTS_CA_BUNDLE"]).toMatch(/bundle\.pem$/);
  const trust = ({ NODE_EXTRA_CA_CERTS, SSL_CERT_FILE }: Record<string, string>) => [
    NODE_EXTRA_CA_CERTS,
    SSL_CERT_FILE,
  ];
  expect(trust(await ask(first))).toEqual(trust(first));
  const gone = await runLocally(["env", `--data-dir=${dataDir}`], {
    environment: { ...settings, SSL_CERT_FILE: "/no/such.pem" },
  });
  expect(gone.error).toContain("SSL_CERT_FILE is set to /no/such.pem, which cannot be read (ENOENT)");
});

describe("restante ca", () => {
  test("prints the path of the certificate, and how to trust it", async () => {
    const none = await runLocally(["ca", "path", `--data-dir=${dataDir}`]);
    expect([none.code, none.error]).toEqual([1, expect.stringContaining("There is no CA in")]);
    await using _service = await start();
    const path = await runLocally(["ca", "path", `--data-dir=${dataDir}`]);
    expect(readFileSync(path.out.trim(), "utf8")).toContain("BEGIN CERTIFICATE");
    const { out } = await runLocally(["ca", "install-help", `--data-dir=${dataDir}`]);
    for (const place of ["Node", "Java", "Debian", "macOS", "Windows", "Firefox"]) expect(out).toContain(place);
    expect(out).toContain(`'${path.out.trim().replaceAll("'", `'\\''`)}'`);
    const own = { RESTANTE_TLS_CERT: "cert.pem", RESTANTE_TLS_KEY: "key.pem" };
    const { error } = await runLocally(["ca", "path", `--data-dir=${dataDir}`], { environment: own });
    expect(error).toContain("RESTANTE_TLS_CERT");
  });
});

async function connectStatus(service: ServiceAccess, target: string): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(answer.toString("latin1").split(" ")[1]);
}

describe("CONNECT", () => {
  test("reaches the service by its own names and by mailosaur.com, and no other host", async () => {
    await using service = await start();
    const { port } = httpsUrl(service);
    const own = ["localhost", "127.0.0.1", "[::1]", "restante.example.com"].map((name) => `${name}:${port}`);
    for (const target of ["mailosaur.com:443", ...own]) expect(await connectStatus(service, target)).toBe(200);
    const { port: httpPort } = new URL(service.url);
    const others = [
      "next.mailosaur.com:443",
      `localhost:${httpPort}`,
      `127.0.0.1:${service.smtpPort}`,
      `mailosaur.com:${port}`,
    ];
    for (const target of [...others, "localhost:443", "example.com:443"]) {
      expect(await connectStatus(service, target)).toBe(403);
    }
  });

  test("does not delay a stop", async () => {
    await using service = await ServiceProcess.start([dataDirFlag()], { environment: await environment() });
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.on("error", () => socket.destroy());
    socket.write("CONNECT mailosaur.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    expect(await service.stop()).toMatchObject({ code: 0, signal: null });
  });
});

test("an operator's new certificate is used for the next connection without a restart", async () => {
  mkdirSync(dataDir);
  const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const bring = (): string => {
    const { ca, credentials } = throwAwayCertificate();
    writeFileSync(tlsCert, credentials.cert);
    writeFileSync(tlsKey, credentials.key);
    return ca;
  };
  const first = bring();
  const ports = { httpPort: null, httpsPort: 0, smtpPort: null, smtpsPort: null };
  const config = configFrom({ ...ports, dataDir, tlsCert, tlsKey, log: "silent" });
  const clock = new FakeClock();
  const service = await startService(config, { clock, log: openLog("silent"), durable: false });
  const dial = async (ca: string): Promise<TLSSocket> => {
    const socket = connectTls({ port: service.ports.https ?? 0, host: "127.0.0.1", servername: "localhost", ca });
    await once(socket, "secureConnect");
    return socket;
  };
  const kept = await dial(first);
  const second = bring();
  clock.advance(60_000);
  (await dial(second)).destroy();
  await expect(dial(first)).rejects.toThrow(/certificate|signature/);
  expect(kept.destroyed).toBe(false);
  kept.destroy();
  await service.stop();
});
