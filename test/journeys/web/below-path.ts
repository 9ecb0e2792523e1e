/** The web UI below a path, behind a reverse proxy that removes it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalService } from "../../../src/testing/local-service.ts";
import { openReverseProxy } from "../reverse-proxy.ts";
import { japanesePdf } from "./bombs.ts";
import { newContext, type Setup } from "./setup.ts";

const base = "/mail";

/** Journeys below a path. */
export function describeBelowPath(setup: () => Setup): void {
  const key = "a-key-for-journeys";
  const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: "shop1234:Shop" };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "restante-web-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test("shows and follows mail, downloads and reloads, without a request outside of the path", async () => {
    await using proxy = await openReverseProxy(`${base}/`, "without path");
    const argv = [`--data-dir=${join(folder, "data")}`, `--public-url=${proxy.url}`];
    await using service = await LocalService.start(argv, environment);
    await proxy.forwardTo(service.url);
    const context = await newContext(setup());
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
    });
    const link = service.shown("Web UI");
    expect(link.startsWith(`${proxy.url}#token=`)).toBe(true);
    await page.goto(link);
    await page.locator("[role=status][data-state=live]").waitFor();
    expect(page.url()).toBe(`${proxy.url}servers/shop1234`);
    const [cookie] = await context.cookies(proxy.url);
    expect(cookie?.path).toBe(`${base}/`);

    const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
    const attachments = [{ filename: "kanji.pdf", content: japanesePdf() }];
    const mail = { from: "app@example.com", subject: "Below a path", html: "<h1>Inside the frame</h1>", attachments };
    await transport.sendMail({ ...mail, to: "anyone@shop1234.restante.example.com" });
    transport.close();
    await page.getByRole("link", { name: /: Below a path$/ }).click();
    await page.frameLocator("iframe").getByText("Inside the frame").waitFor();
    await page.reload();
    await page.frameLocator("iframe").getByText("Inside the frame").waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/mail\/servers\/shop1234\/messages\/[\da-f-]{36}$/);
    await page.getByRole("tab", { name: /^Attachments/ }).click();
    const attachment = page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: "kanji.pdf" });
    await attachment.getByRole("button", { name: "Show" }).click();
    await page.getByRole("img", { name: "kanji.pdf, page 1 of 1" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      attachment.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("kanji.pdf");
    expect(new URL(download.url()).pathname).toMatch(/^\/mail\/api\/files\/attachments\//);
    await page.goBack();
    await page.goto(`${proxy.url}docs`);
    await page.locator("#operations-tag-messages").waitFor();
    expect([errors, proxy.strayPaths()]).toEqual([[], []]);
    await context.close();
  });

  test("works at the listener too, with the path and without it", async () => {
    const argv = [`--data-dir=${join(folder, "direct")}`, "--public-url=https://mail.example/mail/"];
    await using service = await LocalService.start(argv, environment);
    const listener = service.url;
    for (const path of ["/", base, `${base}/`]) {
      const page = await (await fetch(listener + path, { headers: { accept: "text/html" } })).text();
      const [, script = ""] = /<script type="module" crossorigin src="([^"]+)"/.exec(page) ?? [];
      expect(script).toMatch(/^\/mail\/assets\//);
      expect((await fetch(listener + script)).status).toBe(200);
    }
    const headers = { authorization: `Bearer ${key}` };
    for (const path of ["/api/servers", `${base}/api/servers`, `${base}/api/messages?server=shop1234`]) {
      expect((await fetch(listener + path, { headers })).status).toBe(200);
    }
    expect((await fetch(`${listener}/mailbox`)).status).toBe(404);
  });
}
