/** Tests of the redirect module in real programs, against a service and another server. */
import fc from "fast-check";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redirectRequests, type RequestGround } from "./redirect-requests.ts";
import { findRedirectTarget, isHostedName, prefixesOf } from "./redirect-target.ts";
import { startRestante, type Restante } from "./start-restante.ts";

const module = pathToFileURL(join(import.meta.dirname, "redirect.ts")).href;
let restante: Restante;
let bystander: Server;
let bystanderUrl: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-redirect-"));
  restante = await startRestante({ dataDir: join(folder, "restante-data"), apiKey: "redirect-key" });
  bystander = createServer((request, response) => response.end(`bystander ${request.headers.host ?? ""}`));
  bystander.listen(0, "127.0.0.1");
  await once(bystander, "listening");
  bystanderUrl = `http://127.0.0.1:${(bystander.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await restante.stop();
  bystander.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program with the module loaded; resolves with its output. */
async function run(script: string, environment: Record<string, string>): Promise<string> {
  const text = `
    import http, { get as httpGet } from "node:http";
    import https, { get, request } from "node:https";
    const read = async (response) => (await response.toArray()).join("");
    const done = (asked) => new Promise((resolve, reject) => asked.on("response", async (response) =>
      resolve(response.statusCode + " " + (await read(response)).slice(0, 40))).on("error", reject));
    const authorization = "Bearer redirect-key";
    const headers = { authorization, "user-agent": "mailosaur-node/11" };
    const print = (...words) => console.log(...words);
    ${script}`;
  const argv = ["--import", module, "--input-type=module", "--eval", text];
  const child = spawn(process.execPath, argv, { env: environment, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
  await once(child, "close");
  return Buffer.concat(pieces).toString("utf8");
}

const here = (): Record<string, string> => ({ RESTANTE_REDIRECT_URL: restante.url });
const secure = (): Record<string, string> => ({
  RESTANTE_REDIRECT_URL: restante.httpsUrl,
  RESTANTE_REDIRECT_CA: restante.caFile ?? "",
});

describe.each([
  ["plain HTTP", here],
  ["HTTPS, trusting the CA for this alone", secure],
  ["the note in the data folder", () => ({})],
])("redirect module, by %s", (_means, environment) => {
  test("redirects requests of node:https to mailosaur.com, with all forms of arguments", async () => {
    const out = await run(
      `const url = "https://mailosaur.com/api/servers";
       print(await done(https.get(url, { headers })));
       print(await done(https.get(new URL(url), { headers }, () => {})));
       print(await done(get({ hostname: "MAILOSAUR.com.", path: "/api/servers", headers })));
       print(await done(https.request({ host: "mailosaur.com:443", path: "/api/servers", headers }).end()));
       print(await done(request("https://nowhere.invalid/", { host: "mailosaur.com", hostname: "mailosaur.com", path: "/api/servers", headers }).end()));
       print(await done(httpGet("http://mailosaur.com/api/servers", { headers })));`,
      environment(),
    );
    expect(out).toMatch(/^(?:200 \{"items":\[.*\n){6}$/);
  });
});

test("redirects fetch with method, body and header fields", async () => {
  const out = await run(
    `const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: '{"name":"by fetch"}' };
     print((await (await fetch("https://mailosaur.com/api/servers", init)).json()).name);
     print((await (await fetch(new Request("https://mailosaur.com/api/servers", init))).json()).name);
     print((await fetch(new URL("https://mailosaur.com/api/servers?key=x"))).status);`,
    here(),
  );
  expect(out).toBe("by fetch\nby fetch\n401\n");
});

test("redirects a plain HTTP base URL passed to node:https, for the service only", async () => {
  const ask = (url: string): string =>
    `{ const { protocol, hostname } = new URL("${url}");
       try { print(await done(https.request({ protocol, hostname, path: "/api/servers", headers }).end())); }
       catch (error) { print(error.code); } }`;
  const out = await run(ask(restante.url) + ask("http://127.0.0.9/"), here());
  expect(out).toMatch(/^200 \{"items".*\nERR_INVALID_PROTOCOL\n$/);
});

test("does not redirect other requests", async () => {
  const out = await run(
    `print(await done(http.get("${bystanderUrl}")));
     print(await (await fetch("${bystanderUrl}", { headers: { "x-mailosaur": "mailosaur.com" } })).text());
     try { await fetch("nonsense"); } catch (error) { print(error.name); }
     try { https.get("${bystanderUrl}"); } catch (error) { print(error.code); }`,
    here(),
  );
  const host = bystanderUrl.slice("http://".length);
  expect(out).toBe(`200 bystander ${host}\nbystander ${host}\nTypeError\nERR_INVALID_PROTOCOL\n`);
});

test("fails requests with a reason when no service is found", async () => {
  const script = `for (const ask of [() => https.get("https://mailosaur.com/"), () => fetch("https://mailosaur.com/")]) {
    try { await ask(); print("sent"); } catch (error) { print(error.message); }
  }`;
  const out = await run(script, { RESTANTE_DATA_DIR: "absent" });
  expect(out).toBe(
    `restante/redirect: a request for mailosaur.com was stopped, for no service runs in ${join(folder, "absent")}; start one, or name it by RESTANTE_REDIRECT_URL or RESTANTE_DATA_DIR\n`.repeat(
      2,
    ),
  );
});

test.each(["nonsense", "ftp://127.0.0.1", "https://mailosaur.com", "http://MAILOSAUR.COM.:80/x"])(
  "RESTANTE_REDIRECT_URL %j is rejected",
  (url) => {
    expect(() => findRedirectTarget({ RESTANTE_REDIRECT_URL: url })).toThrow(
      /^restante\/redirect: .* RESTANTE_REDIRECT_URL/,
    );
  },
);

test("redirects the hosted name only, and never passes it to the original function", () => {
  const part = fc.constantFrom("mailosaur", ".com", ".", "com", "next.", "@", ":443", "evil", "%2e", "MAILOSAUR.COM");
  const hosts = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join("")),
  );
  const sent: string[] = [];
  const send = (kind: string) => () => void sent.push(kind) as never;
  const ground: RequestGround = {
    request: { "http:": send("ours"), "https:": send("ours") },
    find: () => ({ origin: new URL("http://127.0.0.1:1"), ca: null }),
    prefixOf: prefixesOf({}),
  };
  const request = redirectRequests("https:", send("original"), ground);
  fc.assert(
    fc.property(hosts, (hostname) => {
      request({ hostname });
      const isHosted = /^mailosaur\.com\.?$/i.test(hostname);
      expect([isHostedName(hostname), sent.pop()]).toEqual([isHosted, isHosted ? "ours" : "original"]);
    }),
  );
});

test("redirects hosts of providers to their prefix, with one label for each asterisk", () => {
  const prefixOf = prefixesOf({ RESTANTE_REDIRECT_PROVIDERS: "api.a.example=alpha,email.*.aws.example=beta,bad,x=Y" });
  expect(prefixOf("API.a.example.")).toBe("/providers/alpha");
  expect(prefixOf("email.eu-west-1.aws.example")).toBe("/providers/beta");
  expect(prefixOf("mailosaur.com")).toBe("");
  const others = ["apixa.example", "b.api.a.example", "api.a.example.evil", "email.a.b.aws.example", "bad", "x", ""];
  expect(others.map(prefixOf)).toEqual(others.map(() => null));
});
