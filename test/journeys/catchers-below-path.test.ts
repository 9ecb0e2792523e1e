/** The APIs of other mail catchers below a path, behind a reverse proxy. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MailpitClient } from "mailpit-api";
import { MailpitClient as MailpitClientWithEvents } from "mailpit-api-1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { LocalService } from "../../src/testing/local-service.ts";
import { openReverseProxy } from "./reverse-proxy.ts";

const dataDir = mkdtempSync(join(tmpdir(), "restante-catchers-"));
const listeners = { mailpit: "Mailpit", mailhog: "MailHog", maildev: "MailDev", smtp4dev: "smtp4dev" };
let service: LocalService;

beforeAll(async () => {
  const ports = Object.keys(listeners).map((name) => `--${name}-port=0`);
  service = await LocalService.start([...ports, "--peer-path=/tools/mail/"], {
    RESTANTE_API_KEY: "key-of-the-whole-account-1",
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop",
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});

function originOf(name: keyof typeof listeners): string {
  return new URL(service.shown(listeners[name])).origin;
}

const mail = {
  From: { Email: "shop@example.test" },
  To: [{ Email: "ada@example.test" }],
  Subject: "Below a path",
  HTML: '<p>Order <img src="cid:logo" alt=""></p>',
  Attachments: [{ Content: "iVBORw0KGgo=", Filename: "logo.png", ContentID: "logo", ContentType: "image/png" }],
};

describe.each(["with path", "without path"] as const)("behind a proxy that forwards %s", (passes) => {
  test("serves the clients of Mailpit, its pages and its web socket", async () => {
    await using proxy = await openReverseProxy("/tools/mail/", passes);
    await proxy.forwardTo(originOf("mailpit"));
    const client = new MailpitClient(proxy.url);
    const withEvents = new MailpitClientWithEvents(proxy.url.replace(/\/$/, ""));
    const received = new Promise((resolve) => {
      withEvents.onEvent("new", resolve);
    });
    const socket = new WebSocket(`${proxy.url.replace("http:", "ws:")}api/events`);
    await once(socket, "open");

    const { ID } = await client.sendMessage(mail);
    await expect(received).resolves.toMatchObject({ Data: { ID, Subject: "Below a path" } });
    withEvents.disconnect();
    socket.close();
    await expect(client.listMessages()).resolves.toMatchObject({ total: 1 });
    const page = await fetch(`${proxy.url}view/latest.html`);
    const [, image = ""] = /src="([^"]+)"/.exec(await page.text()) ?? [];
    expect(image).toBe(`/tools/mail/api/v1/message/${ID}/part/2`);
    expect((await fetch(new URL(image, proxy.url))).headers.get("content-type")).toBe("image/png");
    const latest = await fetch(`${proxy.url}view/latest`, { redirect: "manual" });
    expect(new URL(latest.headers.get("location") ?? "", proxy.url).pathname).toBe(`/tools/mail/view/${ID}`);
    await client.deleteMessages();
    const none = await fetch(`${proxy.url}view/latest`, { redirect: "manual" });
    expect(none.headers.get("location")).toBe("/tools/mail/");
    expect(proxy.strayPaths()).toEqual([]);
  });
});

test.each([
  ["mailpit", "/livez", 200],
  ["mailpit", "/api/v1/unknown", 404],
  ["mailhog", "/api/v2/messages", 200],
  ["maildev", "/email", 200],
  ["smtp4dev", "/API/Messages", 200],
] as const)("lets %s respond to %s with the path and without it, and below no other", async (name, path, status) => {
  const found: number[] = [];
  for (const base of ["/tools/mail", "", "/tools/mailx", "/tools"]) {
    found.push((await fetch(originOf(name) + base + path)).status);
  }
  expect(found).toEqual([status, status, 404, 404]);
});

test("shows the addresses of the listeners with the path", () => {
  for (const title of Object.values(listeners)) {
    expect(new URL(service.shown(title)).pathname).toBe("/tools/mail");
  }
});
