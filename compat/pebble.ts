/**
 * Has Pebble, the test authority of Let's Encrypt, issue certificates to a started service by HTTP-01 and TLS-ALPN-01, and to nodes in
 * processes of their own on one PostgreSQL, for `npm run compat:pebble`, with Go.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { connect as connectPlain, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import { startService, type RunningService } from "../src/app/service.ts";
import { configFrom } from "../src/app/settings/config.ts";
import { openDatabase } from "../src/store/postgres/connection/database.ts";
import { EmbeddedPostgres } from "../src/store/postgres/embedded-postgres.test-aid.ts";
import { freePort } from "../src/testing/free-port.test-aid.ts";
import { openNameServer, recordTypes } from "../src/testing/name-server.test-aid.ts";
import { ServiceProcess } from "../src/testing/service-process.ts";
import { SmtpDialogue } from "../src/testing/smtp-dialogue.ts";
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

const [port, managementPort, challengePort, tlsPort] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
const settings = {
  listenAddress: `127.0.0.1:${String(port)}`,
  managementListenAddress: `127.0.0.1:${String(managementPort)}`,
  certificate: files.cert,
  privateKey: files.key,
  httpPort: challengePort,
  tlsPort,
};
writeFileSync(join(folder, "pebble.json"), JSON.stringify({ pebble: settings }));
const acme = `https://localhost:${String(port)}/dir`;
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

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

/** Verifies the certificate of an HTTPS listener for a name; returns its serial number. */
async function verify(httpsPort: number | null, servername: string, ca: string): Promise<string> {
  const socket = connect({ port: httpsPort ?? 0, servername, ca });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const common = {
  httpPort: 0,
  smtpPort: 0,
  apiKey: key,
  log: "warn",
  mx: "mx.corp.example",
  mailDomain: "corp.example",
} as const;
const authority = { acme, acmeCa: files.ca, acmeContact: "postmaster@corp.example" };

async function checkOneProcess(root: string): Promise<void> {
  const config = { ...common, ...authority, httpsPort: 0, dataDir: join(folder, "data"), acmePort: challengePort };
  const first = await startService(configFrom(config));
  await issued(first);
  const serials = [
    await verify(first.ports.https, "mx.corp.example", root),
    await verify(first.ports.https, "mta-sts.corp.example", root),
  ];
  await first.stop();
  const second = await startService(configFrom({ ...config, publicUrl: "https://web.corp.example" }));
  await issued(second);
  serials.push(await verify(second.ports.https, "web.corp.example", root));
  await second.stop();
  if (serials[0] !== serials[1] || serials[1] === serials[2])
    throw new Error(`unexpected certificates: ${serials.join()}`);
  console.log("HTTP-01: a certificate for two names, and with the same account another one for three");
}

async function checkTlsChallenge(root: string): Promise<void> {
  const own = { dataDir: join(folder, "tls-alpn"), httpsPort: tlsPort, acmePort: null };
  const service = await startService(configFrom({ ...common, ...authority, ...own }));
  await issued(service);
  await verify(tlsPort, "mx.corp.example", root);
  await verify(tlsPort, "mta-sts.corp.example", root);
  await service.stop();
  console.log("TLS-ALPN-01: a certificate for two names at the HTTPS port");
}

/** Node in a process of its own, with the ports of its listeners. */
interface Node {
  readonly process: ServiceProcess;
  readonly https: number;
  readonly challenges: number;
}

async function startNode(name: string, environment: Readonly<Record<string, string>>): Promise<Node> {
  const [https, challenges] = [await freePort(), await freePort()];
  const argv = [
    `--data-dir=${join(folder, name)}`,
    `--https-port=${String(https)}`,
    `--acme-port=${String(challenges)}`,
  ];
  const service = await ServiceProcess.start(argv, {
    environment: {
      RESTANTE_API_KEY: key,
      RESTANTE_SECRET_KEY: "a-secret-key-of-this-check",
      RESTANTE_MX: common.mx,
      RESTANTE_MAIL_DOMAIN: common.mailDomain,
      // Lets the listeners be on loopback, and clients name an address of the Internet.
      RESTANTE_SMTP_PROXIES: "127.0.0.1",
      RESTANTE_GREYLIST_MS: "2000",
      RESTANTE_DNS: "off",
      RESTANTE_ACME: acme,
      RESTANTE_ACME_CA: files.ca,
      ...environment,
    },
  });
  return { process: service, https, challenges };
}

/** Resolves with the serial number when a node has a certificate of the authority. */
async function certified({ https }: Node, root: string): Promise<string> {
  for (let waited = 0; waited < orderMsMax; waited += 200) {
    const serial = await verify(https, "mta-sts.corp.example", root).catch(() => null);
    if (serial !== null) return serial;
    await setTimeout(200);
  }
  throw new Error("a node has no certificate in time");
}

async function attempt({ process }: Node): Promise<string> {
  await using client = await SmtpDialogue.connect(process.smtpPort);
  await client.write("PROXY TCP4 8.51.100.8 127.0.0.1 51834 25\r\n");
  await client.expect("220");
  await client.play(["EHLO x", "250"], ["MAIL FROM:<a@b.example>", "250"]);
  await client.write("RCPT TO:<x@corp.example>\r\n");
  return await client.reply();
}

async function checkNodes(root: string): Promise<void> {
  await using postgres = await EmbeddedPostgres.start({ durable: true });
  const environment = { RESTANTE_DATABASE_URL: await postgres.createDatabase() };
  let nodes: readonly Node[] = [];
  const asked: number[] = [];
  // Load balancer of port 80: each connection goes to the next node.
  const balancer = createServer((socket) => {
    const target = nodes[asked.length % nodes.length]?.challenges ?? 0;
    asked.push(target);
    const onward = connectPlain(target, "127.0.0.1");
    socket.on("error", () => onward.destroy()).pipe(onward);
    onward.on("error", () => socket.destroy()).pipe(socket);
  }).listen(challengePort, "127.0.0.1");
  const database = openDatabase(environment.RESTANTE_DATABASE_URL);
  try {
    const begin = performance.now();
    nodes = await Promise.all([startNode("a", environment), startNode("b", environment)]);
    const serials = await Promise.all(
      nodes.map(async (node) => `${await certified(node, root)} after ${seconds(begin)}`),
    );
    console.log(
      `two nodes: ${serials.join(", ")}; challenges at ${String(new Set(asked).size)} nodes: ${String(asked.length)}`,
    );
    const [a, b] = nodes as [Node, Node];
    const deferred = await attempt(a);
    await setTimeout(2000);
    console.log(`greylisting: ${deferred} at one node, ${await attempt(b)} at the other`);
    await Promise.all(nodes.map(async (node) => node.process.stop()));
    rmSync(join(folder, "a"), { recursive: true });
    const again = await startNode("a", environment);
    const serial = await verify(again.https, common.mx, root);
    console.log(`a node with an empty data folder listens with ${serial}`);
    await again.process.stop();
    await checkDeath();
  } finally {
    await Promise.all(nodes.map(async (node) => node.process.stop("SIGKILL")));
    await database.close();
    balancer.close();
  }

  /** Kills the node that orders, as soon as it holds the lease. */
  async function checkDeath(): Promise<void> {
    const own = { ...environment, RESTANTE_PUBLIC_URL: "https://web.corp.example" };
    nodes = [await startNode("c", own)];
    const isHeld = async (): Promise<boolean> =>
      (await database.query("select 1 as one from lease where task = 'acme'")).length > 0;
    while (!(await isHeld())) await setTimeout(20);
    await nodes[0]?.process.stop("SIGKILL");
    const begin = performance.now();
    nodes = [await startNode("d", own)];
    const [node] = nodes as [Node];
    await certified(node, root);
    await verify(node.https, "web.corp.example", root);
    console.log(`after the death of the node that ordered, another had a certificate after ${seconds(begin)}`);
  }
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
  await checkOneProcess(root);
  await checkTlsChallenge(root);
  await checkNodes(root);
} finally {
  pebble.kill();
  await once(pebble, "exit");
  rmSync(folder, { recursive: true });
}
