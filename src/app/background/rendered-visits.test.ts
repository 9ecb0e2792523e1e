/** Rendered visits in the Chromium from npm: only the allowed origin gets a request, whatever the page tries. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { unobservedTasks } from "../../core/background-tasks.ts";
import type { ScanRequest } from "../../core/scanner.ts";
import { visitRendered } from "../../egress/scanner/rendered-visit.ts";
import { ScannerClient } from "../../egress/scanner/scanner-client.ts";
import { Trap } from "../../previews/browser.test-aid.ts";
import { PageVisitor, type PageVisitorOptions } from "../../previews/page-visitor.ts";
import { chromiumPath } from "../../testing/chromium-path.test-aid.ts";

let choice: string;
let visitor: PageVisitor;
const openVisitor = (changes: Partial<PageVisitorOptions> = {}): PageVisitor =>
  new PageVisitor({
    choice,
    clock: systemClock,
    tasks: unobservedTasks,
    visitMsMax: 60_000,
    killMsMax: 120_000,
    ...changes,
  });
beforeAll(async () => {
  choice = await chromiumPath();
  visitor = openVisitor();
});
afterAll(async () => {
  await visitor.close();
});

/** Starts an application; its origin is the only one that may be asked, besides `others`. */
async function serve(listener: RequestListener, others: readonly string[] = []) {
  const app = createServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    listener(request, response);
  }).listen(0, "127.0.0.1");
  const seen: string[] = [];
  await once(app, "listening");
  onTestFinished(() => {
    app.closeAllConnections();
    app.close();
  });
  const origin = `http://app.localhost:${String((app.address() as AddressInfo).port)}`;
  const policy = createTargetPolicy({
    origins: [origin, ...others],
    allowsLoopback: false,
    setting: "RESTANTE_SCANNER_ORIGINS",
  });
  const resolve = async (): Promise<readonly string[]> => ["127.0.0.1"];
  const client = new ScannerClient({ policy, clock: systemClock, resolve });
  const visit = async (path: string, by = visitor, signal = new AbortController().signal) => {
    const requests: ScanRequest[] = [];
    const render = by.visit.bind(by);
    await visitRendered(
      { client, render, clock: systemClock },
      {
        url: origin + path,
        method: "GET",
        userAgent: "Gateway/1",
        renders: true,
        server: "abcd1234",
        signal,
        onRequest: (request) => requests.push(request) > 0,
      },
    );
    return requests;
  };
  return { origin, seen, visit };
}

const html = (body: string): string => `<!doctype html><title>t</title>${body}`;
const page = { "content-type": "text/html" };

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

test("runs the script of a page, which submits its form with its cookie after a redirect", async () => {
  const posted: string[] = [];
  const { origin, seen, visit } = await serve((request, response) => {
    if (request.url === "/in?token=1") {
      response.writeHead(302, { location: "/confirm", "set-cookie": "session=a; HttpOnly" }).end();
    } else if (request.url === "/confirm") {
      response
        .writeHead(200, page)
        .end(html("<form method=post action=/done><input name=a value=1></form><script src=/s.js></script>"));
    } else if (request.url === "/s.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end("document.forms[0].submit()");
    } else {
      const { cookie, origin: from, "user-agent": agent, "cdn-loop": loop } = request.headers;
      const answer = async (): Promise<void> => {
        posted.push(`${String(cookie)} ${String(from)} ${String(agent)} ${String(loop)} ${await bodyOf(request)}`);
        response.writeHead(200, page).end(html("Done"));
      };
      void answer();
    }
  });
  const requests = await visit("/in?token=1");
  expect(seen).toEqual(["GET /in?token=1", "GET /confirm", "GET /s.js", "POST /done"]);
  expect(posted).toEqual([`session=a ${origin} Gateway/1 restante-scanner a=1`]);
  expect(requests).toMatchObject([
    { method: "GET", resource: "document", status: 302, redirect: `${origin}/confirm`, error: null },
    { method: "GET", resource: "document", status: 200, error: null },
    { method: "GET", resource: "script", url: `${origin}/s.js`, status: 200 },
    { method: "POST", resource: "document", url: `${origin}/done`, status: 200, error: null },
  ]);
});

test("keeps no cookie and no storage for the next visit", async () => {
  const cookies: (string | undefined)[] = [];
  const { visit } = await serve((request, response) => {
    if (request.url === "/") cookies.push(request.headers.cookie);
    const script = "<script>fetch(`/state?${localStorage.a}`);localStorage.a=1</script>";
    response.writeHead(200, { ...page, "set-cookie": "session=a; Max-Age=1000" }).end(html(script));
  });
  const urls = [...(await visit("/")), ...(await visit("/"))].map(({ url }) => URL.parse(url)?.search);
  expect(cookies).toEqual([undefined, undefined]);
  expect(urls).toEqual(["", "?undefined", "", "?undefined"]);
});

test("sends nothing to other origins, by whatever means a page tries", async () => {
  await using trap = await Trap.open();
  const datagrams = createSocket("udp4").bind(0, "127.0.0.1");
  let datagramCount = 0;
  datagrams.on("message", () => (datagramCount += 1));
  await once(datagrams, "listening");
  onTestFinished(() => void datagrams.close());
  const other = `127.0.0.1:${String(trap.port)}`;
  const udp = `127.0.0.1:${String(datagrams.address().port)}`;
  const redirects = new Map([
    ["/to-private", "http://10.0.0.1/secret"],
    ["/to-metadata", "http://169.254.169.254/latest/meta-data/"],
    ["/to-other", `http://${other}/redirected`],
  ]);
  const script = `
    const attempt = (action) => { try { Promise.resolve(action()).catch(() => {}); } catch {} };
    for (const path of ${JSON.stringify([...redirects.keys()])}) attempt(() => fetch(path, { mode: "no-cors" }));
    attempt(() => fetch("http://${other}/fetch", { method: "POST", mode: "no-cors", body: "a" }));
    attempt(() => navigator.sendBeacon("http://${other}/beacon", "a"));
    attempt(() => new WebSocket("ws://${other}/socket"));
    attempt(() => new EventSource("http://${other}/events"));
    attempt(() => window.open("http://${other}/popup"));
    attempt(() => navigator.serviceWorker.register("/worker.js"));
    attempt(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://${other}/worker');new WebTransport('https://${udp}/')"]))));
    attempt(() => new WebTransport("https://${udp}/"));
    attempt(async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:${udp}" }] });
      peer.createDataChannel("a");
      await peer.setLocalDescription(await peer.createOffer());
    });
    attempt(() => navigator.geolocation.getCurrentPosition(() => {}));
    alert("a");
    document.body.insertAdjacentHTML("beforeend",
      '<img src="http://${other}/image"><iframe src="http://${other}/frame"></iframe><link rel=prefetch href="http://${other}/prefetch"><link rel=preconnect href="http://${other}/"><a id=download download href="/file">f</a><iframe src="file:///etc/passwd"></iframe><iframe srcdoc="<script>new RTCPeerConnection({iceServers:[{urls:\\'stun:${udp}\\'}]}).createOffer()</script>"></iframe>');
    document.getElementById("download").click();
    setTimeout(() => { location = "http://${other}/navigated"; }, 100);`;
  const { seen, origin, visit } = await serve((request, response) => {
    const location = redirects.get(request.url ?? "");
    if (location !== undefined) response.writeHead(302, { location }).end();
    else if (request.url === "/file") response.writeHead(200, { "content-disposition": "attachment" }).end("a");
    else if (request.url === "/s.js") response.end(script);
    else response.writeHead(200, page).end(html("<body><script src=/s.js></script>"));
  });
  const requests = await visit("/");
  expect([trap.caught, datagramCount]).toEqual([[], 0]);
  expect(
    new Set(seen).difference(
      new Set(["GET /", "GET /s.js", "GET /file", "GET /to-private", "GET /to-metadata", "GET /to-other"]),
    ),
  ).toEqual(new Set());
  const refused = requests.filter(({ url }) => !url.startsWith(origin));
  expect(refused.filter(({ status, error }) => status !== null || error === null)).toEqual([]);
  const refusedUrls = new Set(refused.map(({ url }) => url));
  const expected = ["fetch", "beacon", "events", "image", "frame", "navigated", "redirected"].map(
    (name) => `http://${other}/${name}`,
  );
  expect(new Set([...expected, "http://10.0.0.1/secret", `ws://${other}/socket`]).difference(refusedUrls)).toEqual(
    new Set(),
  );
  expect(requests.find(({ resource }) => resource === "popup")?.error).toBe("Scanners open no further windows");
});

test("lets a page read of other origins what a browser lets it read, and nothing else", async () => {
  const secret = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`;
  const other = await serve((request, response) => {
    const url = new URL(request.url ?? "", "http://other.localhost");
    const isOpen = url.pathname.startsWith("/open");
    const allowed = isOpen ? { "access-control-allow-origin": url.searchParams.get("allow") ?? "*" } : {};
    if (url.pathname.endsWith("frame")) response.writeHead(200, page).end(html("<p id=secret>secret</p>"));
    else response.writeHead(200, { "content-type": "image/svg+xml", ...allowed }).end(secret);
  });
  const script = `
    const other = "${other.origin}";
    const results = [];
    const note = (name, value) => results.push(name + "=" + value);
    const read = async (name, url, options) => {
      try {
        const response = await fetch(url, options);
        note(name, response.type + ":" + (await response.text()).length);
      } catch { note(name, "refused"); }
    };
    const draw = async (name, url, crossOrigin) => {
      const image = new Image();
      if (crossOrigin) image.crossOrigin = "anonymous";
      const loaded = new Promise((resolve) => { image.onload = () => resolve(true); image.onerror = () => resolve(false); });
      image.src = url;
      if (!(await loaded)) return note(name, "refused");
      const context = document.createElement("canvas").getContext("2d");
      context.drawImage(image, 0, 0);
      try { context.getImageData(0, 0, 1, 1); note(name, "read"); } catch { note(name, "tainted"); }
    };
    const frame = async () => {
      const inner = document.createElement("iframe");
      const loaded = new Promise((resolve) => (inner.onload = resolve));
      inner.src = other + "/frame";
      document.body.append(inner);
      await loaded;
      try { note("frame", inner.contentDocument === null ? "null" : "read"); } catch { note("frame", "refused"); }
    };
    (async () => {
      await read("cors", other + "/closed");
      await read("credentials", other + "/closed", { credentials: "include" });
      await read("opaque", other + "/closed", { mode: "no-cors" });
      await read("allowed", other + "/open");
      await read("named", other + "/open?allow=" + encodeURIComponent(location.origin));
      await read("elsewhere", other + "/open?allow=" + encodeURIComponent("https://x.test"));
      await read("redirected", "/to-closed");
      await read("redirected opaque", "/to-closed", { mode: "no-cors" });
      await read("redirected allowed", "/to-open");
      await draw("image", other + "/closed");
      await draw("image with CORS", other + "/closed", true);
      await draw("image allowed", other + "/open", true);
      await draw("image redirected", "/to-closed");
      await frame();
      await fetch("/results", { method: "POST", body: results.join("\\n") });
    })();`;
  const results: string[] = [];
  const { visit } = await serve(
    (request, response) => {
      if (request.url?.startsWith("/to-")) {
        response.writeHead(302, { location: `${other.origin}/${request.url.slice("/to-".length)}` }).end();
      } else if (request.url === "/s.js") response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      else if (request.url === "/results") {
        const note = async (): Promise<void> => {
          results.push(...(await bodyOf(request)).split("\n"));
          response.end();
        };
        void note();
      } else response.writeHead(200, page).end(html("<body><script src=/s.js></script>"));
    },
    [other.origin],
  );
  await visit("/");
  expect(results).toEqual([
    "cors=refused",
    "credentials=refused",
    "opaque=opaque:0",
    `allowed=cors:${String(secret.length)}`,
    `named=cors:${String(secret.length)}`,
    "elsewhere=refused",
    "redirected=refused",
    "redirected opaque=refused",
    `redirected allowed=basic:${String(secret.length)}`,
    "image=tainted",
    "image with CORS=refused",
    "image allowed=read",
    "image redirected=refused",
    "frame=null",
  ]);
});

test("ends a page that loads without end, reloads itself or runs a script without end, and visits the next", async () => {
  const { visit, seen } = await serve((request, response) => {
    if (request.url === "/silent") return;
    if (request.url === "/many")
      response.writeHead(200, page).end(html("<script>for(let i=0;i<1000;i++)fetch('/x'+i)</script>"));
    else if (request.url === "/busy") response.writeHead(200, page).end(html("<script>for(;;);</script>"));
    else if (request.url === "/huge") response.writeHead(200, page).end("x".repeat(6_000_000));
    else if (request.url?.startsWith("/loop")) response.writeHead(302, { location: `${request.url}a` }).end();
    else response.end("done");
  });
  const brief = openVisitor({ visitMsMax: 1000 });
  onTestFinished(() => brief.close());
  expect(await visit("/silent", brief)).toMatchObject([{ error: "The visit ended before the response" }]);
  expect(await visit("/huge")).toMatchObject([{ error: expect.stringContaining("too long") as string }]);
  expect((await visit("/loop")).at(-1)?.error).toBe("More than 5 redirects");
  await visit("/many");
  expect(seen.filter((one) => one.startsWith("GET /x")).length).toBeLessThan(200);
  await visit("/busy", brief);
  const next = async (): Promise<unknown> => (await visit("/next", brief))[0]?.status;
  await expect.poll(next).toBe(200);
});

test("kills the browser of a page that takes too much memory, and says so", async () => {
  const small = openVisitor({ memoryBytesMax: 1024 * 1024 });
  onTestFinished(() => small.close());
  const { visit } = await serve((_request, response) => void response.writeHead(200, page).end(html("a")));
  const requests = await visit("/", small);
  expect(requests.at(-1)).toMatchObject({ status: null, error: expect.stringContaining("memory") as string });
});

test("says what is missing where there is no Chromium, and requests nothing", async () => {
  const none = openVisitor({ choice: "off" });
  const { visit, seen } = await serve((_request, response) => void response.end());
  expect(await visit("/", none)).toMatchObject([
    { status: null, error: "Not rendered: Previews are disabled by RESTANTE_CHROMIUM=off" },
  ]);
  expect(seen).toEqual([]);
});

test("ends when the scan ends", async () => {
  const end = new AbortController();
  const { visit } = await serve(() => {
    end.abort();
  });
  expect(await visit("/", visitor, end.signal)).toMatchObject([
    { status: null, error: "The visit ended before the response" },
  ]);
});
