/**
 * Link scanners: sign-in links that a gateway consumes before or after a person sees them, and hostile pages. On PostgreSQL with
 * two nodes: mail arrives at one, and the other is asked.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ScanReport } from "../../src/core/scanner.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { chromiumPath } from "../../src/testing/chromium-path.test-aid.ts";
import { isPostgres, storeSettings } from "./store-under-test.ts";

const key = "a-key-for-scanners";
const servers = {
  early: "early123",
  late: "late1234",
  hostile: "hosti123",
  none: "noscan12",
  rendered: "render12",
  once: "once1234",
};

let folder: string;
/** Node that is asked. */
let service: LocalService;
/** Node that receives mail. */
let receiving: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-scanners-"));
  service = await start("data");
  receiving = isPostgres ? await start("other") : service;
});
afterAll(async () => {
  await receiving.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function start(name: string): Promise<LocalService> {
  return LocalService.start([`--data-dir=${join(folder, name)}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: Object.values(servers)
      .map((id) => `${id}:${id}`)
      .join(","),
    RESTANTE_PROVIDER_KEYS: "any",
    RESTANTE_CHROMIUM: await chromiumPath(),
    ...(await storeSettings(folder)),
  });
}

async function setScanner(server: string, scanner: object): Promise<void> {
  const body = JSON.stringify(scanner);
  const answer = await service.fetch(`/api/servers/${server}/scanner`, key, { method: "PUT", body });
  expect([answer.status, await answer.json()]).toMatchObject([200, scanner]);
}

async function send(server: string, html: string): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: receiving.smtpPort, ignoreTLS: true });
  await transport.sendMail({ from: "app@app.example", to: `x@${server}.restante.test`, subject: "Sign in", html });
  transport.close();
}

/** Waits for the first mail of a server; returns its id. */
async function arrived(server: string): Promise<string> {
  const path = `/api/messages/search?server=${server}&timeout=60000`;
  const found = await service.fetch(path, key, {
    method: "POST",
    body: JSON.stringify({ sentFrom: "app@app.example" }),
  });
  const [message] = (await found.json()) as readonly { readonly id: string }[];
  return message?.id ?? "";
}

async function scanOf(id: string): Promise<ScanReport> {
  await expect.poll(async () => (await service.fetch(`/api/messages/${id}/scan`, key)).status).toBe(200);
  return (await (await service.fetch(`/api/messages/${id}/scan`, key)).json()) as ScanReport;
}

/** Starts an application; returns its base URL. */
async function serve(listener: RequestListener): Promise<string> {
  const app = createServer(listener).listen(0, "127.0.0.1");
  await once(app, "listening");
  onTestFinished(() => {
    app.closeAllConnections();
    app.close();
  });
  return `http://127.0.0.1:${String((app.address() as AddressInfo).port)}`;
}

/** Starts an application whose sign-in link works once; HEAD does not count. */
async function serveSignIn(): Promise<string> {
  let isUsed = false;
  const base = await serve((request, response) => {
    response.writeHead(isUsed ? 410 : 200).end();
    isUsed ||= request.method === "GET";
  });
  return `${base}/sign-in?token=1`;
}

test("a scanner before visibility has consumed the sign-in link when the mail is found", async () => {
  const link = await serveSignIn();
  await setScanner(servers.early, { profile: "safelinks", delayMs: 0 });
  await send(servers.early, `<a href="${link}">Sign in</a>`);
  const id = await arrived(servers.early);
  expect((await fetch(link)).status).toBe(410);
  expect((await service.fetch(`/api/messages/${id}/scan`, key)).status).toBe(200);
  expect(await scanOf(id)).toMatchObject({
    profile: "safelinks",
    when: "before",
    result: "complete",
    requests: [
      { method: "HEAD", url: link, status: 200, error: null },
      { method: "GET", url: link, status: 200, error: null },
    ],
  });
  const message = await (await service.fetch(`/api/messages/${id}`, key)).json();
  expect(message).toMatchObject({ metadata: { accepted: expect.any(String) as string } });
});

test("a mail through the API of a provider is scanned before it is found, too", async () => {
  const link = await serveSignIn();
  await service.fetch(`/api/messages?server=${servers.early}`, key, { method: "DELETE" });
  const body = new URLSearchParams({
    from: "app@app.example",
    to: `x@${servers.early}.restante.test`,
    subject: "Sign in",
    html: `<a href="${link}">Sign in</a>`,
  });
  const headers = { authorization: `Basic ${Buffer.from("api:unknown-key").toString("base64")}` };
  await fetch(`${receiving.url}/providers/mailgun/v3/app.example/messages`, { method: "POST", headers, body });
  const id = await arrived(servers.early);
  expect((await fetch(link)).status).toBe(410);
  expect(await scanOf(id)).toMatchObject({ when: "before", result: "complete" });
});

test("an image proxy after visibility fetches the images, with its user agent", async () => {
  const userAgents: (string | undefined)[] = [];
  const base = await serve((request, response) => {
    userAgents.push(`${String(request.url)} ${String(request.headers["user-agent"])}`);
    response.end("image");
  });
  await setScanner(servers.late, { profile: "gmail-image-proxy", delayMs: 1 });
  await send(servers.late, `<a href="${base}/link">Link</a><img src="${base}/pixel.gif">`);
  const scan = await scanOf(await arrived(servers.late));
  expect(scan).toMatchObject({ when: "after", result: "complete", urlCount: 1 });
  expect(userAgents).toEqual([expect.stringMatching(/^\/pixel\.gif .*GoogleImageProxy/)]);
});

test("a hostile page reaches neither private addresses nor this service, and cannot make a scan endless", async () => {
  let loopCount = 0;
  const base = await serve((request, response) => {
    const redirect = (location: string): void => void response.writeHead(302, { location }).end();
    if (request.url === "/loop") redirect("/loop");
    else if (request.url?.startsWith("/chain")) redirect(`/chain${String((loopCount += 1))}`);
    else if (request.url === "/private") redirect("http://10.0.0.1/");
    else if (request.url === "/metadata") redirect("http://169.254.169.254/latest/meta-data/");
    else if (request.url === "/service") redirect(`${service.url}/api/servers`);
    else response.end(Buffer.alloc(1_000_000));
  });
  await setScanner(servers.hostile, { profile: "barracuda" });
  const paths = ["/loop", "/chain", "/private", "/metadata", "/service", "/huge"];
  const links = [...paths.map((path) => base + path), `${service.url}/api/servers`, "http://192.0.2.9/"];
  await send(servers.hostile, links.map((link) => `<a href="${link}">x</a>`).join(" "));
  const { result, requests } = await scanOf(await arrived(servers.hostile));
  expect(result).toBe("complete");
  const errorOf = (url: string): string | null | undefined => requests.findLast((one) => one.url === url)?.error;
  expect(errorOf(`${base}/loop`)).toBe("The redirect leads to a URL that was requested before");
  expect(requests.find(({ error }) => error === "More than 5 redirects")?.url).toBe(`${base}/chain5`);
  for (const refused of ["http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://192.0.2.9/"]) {
    expect([errorOf(refused), requests.find(({ url }) => url === refused)?.status]).toEqual([expect.any(String), null]);
  }
  // The address of another node is not one of this machine in general: that node rejects the request itself.
  const own = requests.find(({ url }) => url === `${service.url}/api/servers`);
  expect([own?.error, own?.status]).toEqual(isPostgres ? expect.anything() : ["The service never calls itself", null]);
  expect([null, 403]).toContain(own?.status);
  expect(errorOf(`${base}/huge`)).toContain("too long");
});

test("mail of a server without a scanner is not scanned", async () => {
  let requestCount = 0;
  const base = await serve((_request, response) => {
    requestCount += 1;
    response.end();
  });
  await send(servers.none, `<a href="${base}/">Link</a>`);
  const id = await arrived(servers.none);
  expect([(await service.fetch(`/api/messages/${id}/scan`, key)).status, requestCount]).toEqual([404, 0]);
});

test("a scanner that renders consumes a link whose page submits its form by script", async () => {
  const posts: string[] = [];
  const base = await serve((request, response) => {
    if (request.method === "POST") posts.push(String(request.url));
    const page = "<form method=post action=/confirm></form><script>document.forms[0].submit()</script>";
    response.writeHead(200, { "content-type": "text/html" }).end(request.method === "POST" ? "Done" : page);
  });
  await setScanner(servers.rendered, { profile: "safelinks", renders: true });
  await send(servers.rendered, `<a href="${base}/sign-in">Sign in</a>`);
  const { result, requests } = await scanOf(await arrived(servers.rendered));
  expect(posts).toEqual(["/confirm"]);
  expect([result, requests]).toMatchObject([
    "complete",
    [
      { method: "HEAD", resource: null, status: 200 },
      { method: "GET", resource: "document", url: `${base}/sign-in`, status: 200 },
      { method: "POST", resource: "document", url: `${base}/confirm`, status: 200 },
    ],
  ]);
});

test("each link is opened once, whichever node receives and scans the mail", async () => {
  const opened: string[] = [];
  const base = await serve((request, response) => {
    opened.push(String(request.url));
    response.end();
  });
  await setScanner(servers.once, { profile: "barracuda" });
  const paths = Array.from({ length: 8 }, (_, at) => `/${String(at)}`);
  await Promise.all(paths.map((path) => send(servers.once, `<a href="${base}${path}">x</a>`)));
  const list = async (): Promise<number> => {
    const found = await service.fetch(`/api/messages?server=${servers.once}`, key);
    return ((await found.json()) as readonly object[]).length;
  };
  await expect.poll(list).toBe(paths.length);
  expect(opened.toSorted()).toEqual(paths);
});
