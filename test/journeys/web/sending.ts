import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readBody } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { LocalService } from "../../../src/testing/local-service.ts";
import { request, clipboardOf, empty, messageIds, send, visit, type Setup } from "./setup.ts";
import { waitForDialog } from "./walk.ts";

const [server, other] = ["shop1234", "auth5678"] as const;
const inbox = (name: string, of: string = server): string => `${name}@${of}.restante.example.com`;

/** Journeys that send: SMS and email replies, new emails, simulated replies. */
export function describeSending(setup: () => Setup): void {
  test("shows SMS as a live chat, copies a code and replies with an approved phrase", async () => {
    await using app = await openApp();
    const [number, customer] = ["+15550100", "+15550199"];
    await request(setup(), "POST /api/phone-numbers", { number, server, webhook: app.url });
    await empty(setup(), server);
    const text = async (said: string): Promise<void> => {
      await request(setup(), "POST /api/sms", { from: customer, to: number, text: said });
    };
    await text("Was it you? Answer YES or NO.");
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page, consoleErrors } = visited;
    await page.getByRole("link", { name: `to ${number}: Was it you?` }).click();
    await page.getByRole("button", { name: "Conversation", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Send YES" }).click();
    await page.getByText("Delivered").waitFor();
    expect(app.received).toEqual(["YES"]);

    await text("Thank you. Your code is 804219.");
    await page.getByRole("listitem").getByRole("paragraph").getByText("Your code is 804219").waitFor();
    await page.getByRole("list", { name: "Conversation" }).getByRole("button", { name: "Copy code 804219" }).click();
    expect(await clipboardOf(page)).toBe("804219");
    expect(await page.getByRole("list", { name: "Conversation" }).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Was it you?"),
      expect.stringContaining("YES"),
      expect.stringContaining("804219"),
    ]);
    expect(consoleErrors).toEqual([]);
  });

  test("explains that replies are disabled for a number without a webhook", async () => {
    await request(setup(), "POST /api/phone-numbers", { number: "+15550111", server });
    await empty(setup(), server);
    await request(setup(), "POST /api/sms", { from: "Shop", to: "+15550111", text: "Hello" });
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}` });
    await visited.page.getByText("+15550111 has no webhook").waitFor();
    expect(await visited.page.getByRole("button", { name: "Send YES" }).count()).toBe(0);
  });

  test("replies in HTML with an attachment, forwards, and shows the thread", async () => {
    await Promise.all([empty(setup(), server), empty(setup(), other)]);
    const question = { subject: "Plans", text: "When?", from: inbox("friend", other), messageId: "<q@x.example>" };
    await send(setup(), question, inbox("me"));
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await page.getByRole("link", { name: /: Plans$/ }).click();
    await page.getByRole("heading", { name: "Plans" }).waitFor();
    expect(await page.getByRole("button", { name: "Conversation" }).count()).toBe(0);
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Reply" });
    await dialog.getByRole("button", { name: "HTML" }).click();
    await dialog.getByRole("textbox", { name: "HTML" }).fill("<p>Now, <b>see</b></p>");
    await attach(page, { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("at noon") });
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("group").getByText("Sent", { exact: true }).waitFor();

    const [answer = ""] = await messageIds(setup(), other);
    const arrived = await request<Received>(setup(), `GET /api/messages/${answer}`);
    expect([arrived.subject, arrived.attachments.map(({ fileName }) => fileName)]).toEqual(["Re: Plans", ["plan.txt"]]);
    expect(arrived.html.body).toContain("<p>Now, <b>see</b></p>");

    await page.reload();
    await page.getByRole("button", { name: "Conversation 2" }).click();
    expect(page.url()).toMatch(/\/conversation$/);
    await page.getByRole("link", { name: /Open Re: Plans$/ }).click();
    await page.getByRole("heading", { name: "Re: Plans" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Plans", exact: true }).waitFor();
    await page.getByRole("button", { name: "Conversation 2", pressed: true }).waitFor();

    await page.getByRole("button", { name: "Forward" }).click();
    await page.getByRole("dialog").getByLabel("To").fill(inbox("boss", other));
    await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("group").getByText("Sent", { exact: true }).last().waitFor();
    await expect.poll(() => subjectsOf(setup(), other)).toEqual(["Fwd: Plans", "Re: Plans"]);
  });

  test("sends a new email to another server and keeps the draft when the service rejects it", async () => {
    await empty(setup(), other);
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New email" }).waitFor();
    await page.getByLabel("From").fill("orders");
    await page.getByLabel("To").fill("outsider@outside.example");
    await page.getByLabel("Subject").fill("A voucher");
    await page.getByRole("textbox", { name: "Text" }).fill("Its code is 55-41-88.");
    const pixels = Buffer.from("not really a picture");
    await attach(page, { name: "a.png", mimeType: "image/png", buffer: pixels });
    await attach(page, { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("b") });
    await page.getByRole("button", { name: "Remove b.txt" }).click();
    await page.getByRole("button", { name: "Send email" }).click();
    await page.getByRole("alert").getByText("verified addresses").waitFor();
    await page.getByLabel("To").fill(inbox("customer", other));
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "A voucher" }).waitFor();
    expect(page.url()).toMatch(/dir=sent$/);
    const [id = ""] = await messageIds(setup(), other);
    const { from, attachments } = await request<Received>(setup(), `GET /api/messages/${id}`);
    expect([from[0]?.email, attachments.map(({ fileName, length }) => [fileName, length])]).toEqual([
      inbox("orders"),
      [["a.png", pixels.byteLength]],
    ]);
  });

  test("shows without a reload that a delivery has failed", async () => {
    await using relay = await openHeldRelay();
    const outsider = "friend@outside.example";
    await using service = await LocalService.start(
      [`--data-dir=${join(mkdtempSync(join(tmpdir(), "restante-web-")), "data")}`],
      { RESTANTE_RELAY_URL: relay.url, RESTANTE_VERIFIED: outsider },
    );
    const [key, own] = [service.shown("API key"), service.shown("Server")];
    const body = JSON.stringify({ to: outsider, subject: "Out", text: "x", send: true });
    const sent = await service.fetch(`/api/messages?server=${own}`, key, { method: "POST", body });
    const { id } = (await sent.json()) as { id: string };
    const target = { browser: setup().browser, service: { url: service.url, apiKey: key } };
    await using visited = await visit(target, { path: `/servers/${own}/messages/${id}/delivery` });
    const { page } = visited;
    await page.getByText(/^Queued, \d attempt/).waitFor();
    relay.reject();
    await page.getByText(/^Failed, \d attempt/).waitFor();
    await page.getByText("User unknown").first().waitFor();
  });

  test("adds an email to the inbox, a sample when all fields are empty", async () => {
    await empty(setup(), other);
    await using visited = await visit(setup(), { path: `/servers/${other}/compose` });
    const { page } = visited;
    await page.getByRole("button", { name: "Add to inbox" }).click();
    await page.getByRole("button", { name: "Add email" }).click();
    await page.getByRole("heading", { name: "Example message" }).waitFor();
    expect(await subjectsOf(setup(), other)).toEqual(["Example message"]);
  });

  test("sends each simulated reply from the menu with the keyboard alone", async () => {
    await Promise.all([empty(setup(), server), empty(setup(), other)]);
    const sender = inbox("app", other);
    await send(setup(), { from: sender, subject: "Newsletter", text: "Hello" }, inbox("me"));
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}` });
    const { page } = visited;
    const more = page.getByRole("button", { name: "Actions", disabled: false });
    for (const [item, title, said, subject] of [
      ["Bounce…", "Simulate a bounce", "Bounce sent", /deliver|failed|returned/i],
      ["Complaint…", "Simulate a complaint", "Complaint sent", /Newsletter/],
      ["Auto-reply…", "Simulate an auto-reply", "Auto-reply sent", /out of office|auto|away/i],
    ] as const) {
      await empty(setup(), other);
      await more.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem").and(page.locator(":focus")).waitFor();
      await page.keyboard.press("End");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("menu").count()).toBe(0);
      await more.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem").and(page.locator(":focus")).waitFor();
      while (!(await isFocused(page, item))) await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await waitForDialog(page, title);
      await page.keyboard.press("Control+Enter");
      await page.getByText(said).waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(async () => (await subjectsOf(setup(), other)).length).toBe(1);
      expect((await subjectsOf(setup(), other))[0]).toMatch(subject);
    }
  });
}

interface Received {
  readonly subject: string;
  readonly from: readonly { readonly email: string }[];
  readonly html: { readonly body: string | null };
  readonly attachments: readonly { readonly fileName: string; readonly length: number }[];
}

/** Starts an SMTP relay that rejects each recipient, but not before `reject` is called. */
export async function openHeldRelay(): Promise<
  AsyncDisposable & { readonly url: string; readonly reject: () => void }
> {
  const rejected = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const relay = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write("220 relay ESMTP\r\n");
    socket.on("data", (line) => {
      const isRecipient = line.toString().startsWith("RCPT");
      if (isRecipient) void rejected.promise.then(() => socket.write("550 5.1.1 User unknown\r\n"));
      else socket.write("250 relay\r\n");
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    reject: () => {
      rejected.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => relay.close(resolve));
      // Sessions whose recipient waits for its reply never end by themselves.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Starts an application under test whose webhook records the texts of SMS. */
async function openApp(): Promise<AsyncDisposable & { readonly url: string; readonly received: readonly string[] }> {
  const received: string[] = [];
  const http = createServer((request, response) => {
    void readBody(request).then((body) => {
      received.push(new URLSearchParams(body).get("Body") ?? "");
      return response.end();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const close = async (): Promise<void> =>
    new Promise((resolve) => {
      http.close(() => {
        resolve();
      });
      http.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/in`, received, [Symbol.asyncDispose]: close };
}

async function attach(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.locator("input[type=file]").setInputFiles([file]);
  await page.getByRole("button", { name: `Remove ${file.name}` }).waitFor();
}

async function isFocused(page: Page, name: string): Promise<boolean> {
  return (await page.evaluate<string>("document.activeElement.innerText")) === name;
}

async function subjectsOf(setup: Setup, of: string): Promise<readonly string[]> {
  return (await request<readonly Received[]>(setup, `GET /api/messages?server=${of}`)).map(({ subject }) => subject);
}
