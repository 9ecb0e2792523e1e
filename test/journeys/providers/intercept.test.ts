/** Providers by their own host names: through the CONNECT tunnel, and with the redirect module in Node programs. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LocalService } from "../../../src/testing/local-service.ts";
import { runCommand, ServiceProcess, type Ending } from "../../../src/testing/service-process.ts";
import { runLocally } from "../local-command.ts";

const run = promisify(execFile);
const apiKey = "a-key-for-journeys";
const settings = { RESTANTE_API_KEY: apiKey, RESTANTE_SERVERS: "jrny1234:Journey" };
let folder: string;
let service: ServiceProcess;
/** Variables of `restante env --proxy --providers`. */
let proxied: Record<string, string>;
/** Variables of `restante env --redirect --providers`. */
let redirected: Record<string, string>;
const env = async (...flags: string[]): Promise<Ending> =>
  runLocally(["env", `--data-dir=${folder}`, "--json", ...flags], { environment: settings });
const variables = async (...flags: string[]): Promise<Record<string, string>> =>
  JSON.parse((await env(...flags)).out) as Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-intercept-"));
  service = await ServiceProcess.start([`--data-dir=${folder}`, "--intercept=twilio,ses,acs"], {
    environment: settings,
  });
  [proxied, redirected] = await Promise.all([
    variables("--proxy", "--providers"),
    variables("--redirect", "--providers"),
  ]);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Sends CONNECT and returns the socket with the first line of the response. */
async function dial(target: string): Promise<{ readonly socket: Socket; readonly line: string }> {
  const { hostname, port } = new URL(proxied["HTTPS_PROXY"] ?? "");
  const socket = connect(Number(port), hostname);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return { socket, line: chunk.toString("latin1").split("\r\n")[0] ?? "" };
}

describe("restante env --proxy --providers", () => {
  test("leads requests for an intercepted host to the provider, with a certificate for it", async () => {
    const { socket } = await dial("api.twilio.com:443");
    const ca = readFileSync(proxied["NODE_EXTRA_CA_CERTS"] ?? "", "utf8");
    const secure = connectTls({ socket, servername: "api.twilio.com", ca });
    const authorization = `Basic ${btoa(`AC1:${apiKey}`)}`;
    secure.write(
      `GET /2010-04-01/Accounts/AC1/Messages.json HTTP/1.1\r\nHost: api.twilio.com\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );
    const response = (await secure.toArray()).join("");
    expect(response).toContain("HTTP/1.1 200 ");
    expect(response).toContain('"first_page_uri":"/2010-04-01/Accounts/AC1/Messages.json');
  });

  test("leads requests for any resource of a provider here, with a certificate for it", async () => {
    const host = "shop.europe.communication.azure.com";
    const { socket } = await dial(`${host}:443`);
    const ca = readFileSync(proxied["NODE_EXTRA_CA_CERTS"] ?? "", "utf8");
    const secure = connectTls({ socket, servername: host, ca });
    const lines = [`GET /emails/operations/x HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${apiKey}`];
    secure.write([...lines, "Connection: close", "", ""].join("\r\n"));
    expect((await secure.toArray()).join("")).toContain("x-ms-error-code: NotFound");
  });

  test("serves nothing but the provider under its host", async () => {
    const headers = { host: "API.twilio.com", authorization: `Bearer ${apiKey}` };
    const [response] = (await once(get(`${proxied["RESTANTE_URL"] ?? ""}/api/servers`, { headers }), "response")) as [
      { statusCode: number; toArray: () => Promise<Buffer[]> },
    ];
    expect(response.statusCode).toBe(404);
    expect((await response.toArray()).join("")).toContain('"code":20404');
  });

  test.each([
    "api.twilio.com:80",
    "api.twilio.com:8443",
    "api.twilio.com",
    "api.twilio.com.:443",
    "twilio.com:443",
    "evil.api.twilio.com:443",
    "api.twilio.com.evil.example:443",
    "api.twilio.com@evil.example:443",
    "api.sendgrid.com:443",
    "rest.nexmo.com:443",
    "email.nowhere-1.amazonaws.com:443",
    "sns.eu-west-1.amazonaws.com:443",
    "communication.azure.com:443",
    "a.shop.europe.communication.azure.com:443",
    "shop.nowhere.communication.azure.com:443",
    "shop.communication.azure.com.evil.example:443",
    "example.com:443",
    "127.0.0.1:22",
    "169.254.169.254:80",
    "[::1]:443",
  ])("rejects a tunnel to %s", async (target) => {
    const { socket, line } = await dial(target);
    expect(line).toMatch(/^HTTP\/1\.1 40[03] /);
    socket.destroy();
  });
});

test("rejects --proxy --providers for a service that intercepts nothing, and --providers alone", async () => {
  const other = mkdtempSync(join(tmpdir(), "restante-intercept-"));
  await using plain = await LocalService.start([`--data-dir=${other}`], settings);
  expect(plain.message).toContain("API");
  const flags = ["env", `--data-dir=${other}`, "--proxy", "--providers"];
  const failed = await runLocally(flags, { environment: settings });
  expect([failed.code === 0, failed.error]).toEqual([false, expect.stringContaining("RESTANTE_INTERCEPT")]);
  const alone = await env("--providers");
  expect([alone.code === 0, alone.error]).toEqual([false, expect.stringContaining("--redirect or --proxy")]);
  rmSync(other, { recursive: true, force: true });
});

test("refuses to start with an unknown provider, and lists the known ones", async () => {
  const failed = await runCommand(["serve", `--data-dir=${join(folder, "none")}`, "--intercept=nosuch"], {
    environment: settings,
  });
  expect([failed.code === 0, failed.error + failed.out]).toEqual([
    false,
    expect.stringMatching(/RESTANTE_INTERCEPT: "nosuch" is not one of .*twilio/),
  ]);
});

test("restante env --redirect --providers leads Node programs to the provider, and leaves other requests alone", async () => {
  const program = `
    const https = require("node:https");
    const headers = { authorization: "Basic " + btoa("AC1:${apiKey}") };
    const path = "/2010-04-01/Accounts/AC1/Messages.json";
    (async () => {
      console.log((await fetch("https://api.twilio.com" + path, { headers })).status);
      https.get("https://api.twilio.com" + path, { headers }, (response) => {
        console.log(response.statusCode);
        https.get("https://127.0.0.1:1/").on("error", (error) => {
          console.log(error.code);
          // Connections that are kept for further requests would delay the end by a minute.
          process.exit();
        });
      });
    })();`;
  const { stdout } = await run(process.execPath, ["--eval", program], { env: { ...process.env, ...redirected } });
  expect(stdout).toMatch(/^200\n200\nECONNREFUSED\n$/);
});

test("unmodified SDKs send by the host names of their providers", async () => {
  const program = `
    const { SESv2Client, SendEmailCommand } = require("@aws-sdk/client-sesv2");
    const sendgrid = require("@sendgrid/mail");
    const { EmailClient } = require("@azure/communication-email");
    const [from, to] = ["app@sender.example", "zoe@shop.example"];
    (async () => {
      const ses = new SESv2Client({ region: "eu-west-1", credentials: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "x" } });
      await ses.send(new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Simple: { Subject: { Data: "by SES" }, Body: { Text: { Data: "Hello" } } } },
      }));
      sendgrid.setApiKey("SG.any.key");
      await sendgrid.send({ from, to, subject: "by SendGrid", text: "Hello" });
      const client = new EmailClient("endpoint=https://shop.europe.communication.azure.com/;accesskey=YWJj");
      const content = { subject: "by Azure", plainText: "Hello" };
      const poller = await client.beginSend({ senderAddress: from, recipients: { to: [{ address: to }] }, content });
      await poller.pollUntilDone();
    })();`;
  const environment = { ...process.env, ...redirected };
  await run(process.execPath, ["--eval", program], {
    env: environment,
    cwd: join(import.meta.dirname, "..", "..", ".."),
  });
  const headers = { authorization: `Bearer ${apiKey}` };
  const list = await fetch(`${proxied["RESTANTE_URL"] ?? ""}/api/messages?server=jrny1234`, { headers });
  const messages = (await list.json()) as readonly { readonly subject: string }[];
  expect(messages.map(({ subject }) => subject)).toEqual(["by Azure", "by SendGrid", "by SES"]);
});
