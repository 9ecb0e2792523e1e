/** Details of Mailpit's API that suites compare: line ends of what they sent, fields of the envelope, errors. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { createCatcherRouter } from "../catcher-routes.ts";
import { mailpit } from "./mailpit.ts";

let api: HttpTestServer;
let server: TestServer;
let url: string;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  const access = { name: "mailpit", server: server.id, trustsLoopback: true };
  const listener = api.app.createCatcherListener(createCatcherRouter(mailpit, { access, version: "0" }), null);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
});
afterAll(async () => api[Symbol.asyncDispose]());

async function read(path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

async function send(members: object): Promise<string> {
  const mail = { From: { Email: "a@b.example" }, To: [{ Email: "c@d.example" }], Subject: "Hi", ...members };
  const response = await fetch(`${url}/api/v1/send`, { method: "POST", body: JSON.stringify(mail) });
  return ((await response.json()) as { ID: string }).ID;
}

test.each([
  ["LF", "one\ntwo  \n\n", "<p>\n<b>ü</b>\n</p>"],
  ["CRLF", "one\r\ntwo\r\n", "<p>\r\nx</p>"],
  ["long lines", `${"x".repeat(75)}\n${"word ".repeat(400)}\n=3D=\n`, `<p title="${"y".repeat(1200)}">\n</p>`],
])("returns texts with %s as they were sent, in the message and its views", async (_, Text, HTML) => {
  const id = await send({ Text, HTML });
  expect(await read(`/api/v1/message/${id}`)).toMatchObject({ Text, HTML });
  expect(await (await fetch(`${url}/view/${id}.txt`)).text()).toBe(Text);
  expect(await (await fetch(`${url}/view/${id}.html`)).text()).toBe(HTML);
  const raw = await (await fetch(`${url}/api/v1/message/${id}/raw`)).text();
  expect(raw.split("\r\n").filter((line) => line.length > 998)).toEqual([]);
  expect(/(?<!\r)\n/.test(raw)).toBe(false);
});

test("shows the return path and hidden recipients among the header fields", async () => {
  const id = await send({ Text: "x", Bcc: ["hidden@d.example"] });
  expect(await read(`/api/v1/message/${id}/headers`)).toMatchObject({
    "Return-Path": ["<a@b.example>"],
    Bcc: ["hidden@d.example"],
    Subject: ["Hi"],
  });
});

test("responds 400 to the thumbnail of an unknown part, and 404 to the part", async () => {
  const id = await send({ Text: "x" });
  expect((await fetch(`${url}/api/v1/message/${id}/part/9/thumb`)).status).toBe(400);
  expect((await fetch(`${url}/api/v1/message/${id}/part/9`)).status).toBe(404);
  expect((await fetch(`${url}/api/v1/message/${"0".repeat(8)}/part/9/thumb`)).status).toBe(404);
});

test("names a database, and SpamAssassin only where it is configured", async () => {
  expect(await read("/api/v1/info")).toMatchObject({ Database: server.id });
  expect(await read("/api/v1/webui")).toMatchObject({ SpamAssassin: false });
});
