/** Has Pebble, the test authority of Let's Encrypt, issue certificates to a started service, for `npm run compat:pebble`, with Go. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import { startService, type RunningService } from "../src/app/service.ts";
import { configFrom } from "../src/app/settings/config.ts";
import { freePort } from "../src/testing/free-port.test-aid.ts";
import { openNameServer, recordTypes } from "../src/testing/name-server.test-aid.ts";
import { throwAwayCertificate } from "../src/testing/throw-away-certificate.ts";

const module = "github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.3";
const key = "an-account-key-of-this-check";
const orderMsMax = 120_000;

const folder = mkdtempSync(join(tmpdir(), "restante-pebble-"));
const installed = spawnSync("go", ["install", module], { env: { ...process.env, GOBIN: folder }, stdio: "inherit" });
if (installed.status !== 0) throw new Error("Pebble could not be built: is Go installed?");

const own = throwAwayCertificate();
const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
writeFileSync(files.ca, own.ca);
writeFileSync(files.cert, own.credentials.cert);
writeFileSync(files.key, own.credentials.key);

const [port, managementPort, challengePort] = [await freePort(), await freePort(), await freePort()];
const settings = {
  listenAddress: `127.0.0.1:${String(port)}`,
  managementListenAddress: `127.0.0.1:${String(managementPort)}`,
  certificate: files.cert,
  privateKey: files.key,
  httpPort: challengePort,
  tlsPort: 5001,
};
writeFileSync(join(folder, "pebble.json"), JSON.stringify({ pebble: settings }));

async function read(url: string, options: RequestOptions): Promise<string> {
  const [response] = (await once(get(url, { ...options, agent: false }), "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Resolves when the certificate of the names is in use, or rejects with the reason of the task. */
async function issued(service: RunningService): Promise<void> {
  const url = `http://127.0.0.1:${String(service.ports.http)}/api/status`;
  for (let waited = 0; waited < orderMsMax; waited += 500) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    if (/"task":"acme_certificate","state":"ok"/.test(text)) return;
    if (/"task":"acme_certificate","state":"failing"/.test(text)) throw new Error(/"reason":"([^"]*)"/.exec(text)?.[1]);
    await setTimeout(500);
  }
  throw new Error("no certificate was issued in time");
}

/** Verifies the certificate of the HTTPS listener for a name. */
async function verify(service: RunningService, servername: string, ca: string): Promise<string> {
  const socket = connect({ port: service.ports.https ?? 0, servername, ca });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

await using server = await openNameServer((_, type) => (type === recordTypes.a ? [Buffer.of(127, 0, 0, 1)] : []));
const pebble = spawn(
  join(folder, "pebble"),
  ["-config", join(folder, "pebble.json"), "-dnsserver", server.address, "-strict"],
  // Nearly a third of the nonces are refused, and validation takes up to three seconds.
  { env: { ...process.env, PEBBLE_WFE_NONCEREJECT: "30", PEBBLE_VA_SLEEPTIME: "3" }, stdio: "ignore" },
);
try {
  const management = `https://localhost:${String(managementPort)}`;
  let root = "";
  while (root === "") {
    root = await read(`${management}/roots/0`, { ca: own.ca }).catch(() => "");
    await setTimeout(200);
  }
  const common = { httpPort: 0, httpsPort: 0, smtpPort: 0, apiKey: key, log: "warn" } as const;
  const names = { mx: "mx.corp.example", mailDomain: "corp.example" };
  const acme = `https://localhost:${String(port)}/dir`;
  const config = {
    ...common,
    ...names,
    dataDir: join(folder, "data"),
    acme,
    acmeCa: files.ca,
    acmePort: challengePort,
    acmeContact: "postmaster@corp.example",
  };
  const first = await startService(configFrom(config));
  await issued(first);
  const serials = [await verify(first, "mx.corp.example", root), await verify(first, "mta-sts.corp.example", root)];
  await first.stop();
  const second = await startService(configFrom({ ...config, publicUrl: "https://web.corp.example" }));
  await issued(second);
  serials.push(await verify(second, "web.corp.example", root));
  await second.stop();
  if (serials[0] !== serials[1] || serials[1] === serials[2])
    throw new Error(`unexpected certificates: ${serials.join()}`);
  console.log("Pebble issued a certificate for two names, and with the same account another one for three");
} finally {
  pebble.kill();
  await once(pebble, "exit");
  rmSync(folder, { recursive: true });
}
