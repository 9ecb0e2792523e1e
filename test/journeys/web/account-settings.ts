import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalService } from "../../../src/testing/local-service.ts";
import { request, empty, messageIds, send, visit, type Setup } from "./setup.ts";

const [server, other] = ["shop1234", "auth5678"] as const;

/** Journeys through account pages, server settings, charts and previews. */
export function describeAccountAndSettings(setup: () => Setup): void {
  test("adds and removes phone numbers, and shows why one is rejected", async () => {
    await using visited = await visit(setup(), { path: "/numbers" });
    const { page } = visited;
    await page.getByRole("button", { name: "New number" }).click();
    const dialog = page.getByRole("dialog", { name: "New number" });
    await dialog.getByLabel("Number").fill("12");
    await dialog.getByLabel("Server").selectOption({ label: "Server 2" });
    await dialog.getByLabel("Webhook").fill("http://localhost:3000/sms");
    await dialog.getByLabel("Signing secret").fill("an auth token");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("international form").waitFor();
    await dialog.getByLabel("Number").fill("+1 555 0123");
    await page.keyboard.press("Enter");
    const row = page.getByRole("row").filter({ hasText: "+15550123" });
    await row.getByText("Signed").waitFor();
    await row.getByText("http://localhost:3000/sms").waitFor();
    await row.getByRole("link", { name: "Server 2" }).waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Webhook for replies (optional)").fill("");
    await page.keyboard.press("Enter");
    await row.getByText("No webhook; replies disabled").waitFor();
    await row.getByText("Signed").waitFor();
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("Number removed").waitFor();
    await row.waitFor({ state: "detached" });
  });

  test("adds and removes approved phrases without duplicates", async () => {
    await using visited = await visit(setup(), { path: "/phrases" });
    const { page } = visited;
    await page.getByLabel("New phrase").fill("Call me back");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove Call me back" }).waitFor();
    await page.getByLabel("New phrase").fill("CALL me BACK");
    await page.getByText("This phrase already exists.").waitFor();
    await page.getByRole("button", { name: "Remove Call me back" }).click();
    await page.getByRole("button", { name: "Remove Call me back" }).waitFor({ state: "detached" });
    const { phrases } = await request<{ phrases: readonly string[] }>(setup(), "GET /api/approved-phrases");
    expect(phrases).not.toContain("Call me back");
  });

  test("adds a device by its URI, shows its current code and deletes it", async () => {
    await using visited = await visit(setup(), { path: "/devices" });
    const { page } = visited;
    await page.getByText("No devices yet.").waitFor();
    await page.getByRole("button", { name: "New device" }).click();
    await page.getByLabel("Secret or otpauth URI").fill("not base32!");
    await page.getByLabel("Name").fill("Phone");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Secret or otpauth URI").fill("otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&digits=8");
    await page.keyboard.press("Enter");
    const row = page.getByRole("row").filter({ hasText: "Phone" });
    await row.getByText(/valid for \d+ s/).waitFor();
    const [device] = await request<{ id: string }[]>(setup(), "GET /api/devices");
    const id = device?.id ?? "";
    // The code may change between the two.
    await expect
      .poll(async () => {
        const { code } = await request<{ code: string }>(setup(), `GET /api/devices/${id}/otp`);
        return row.getByRole("button", { name: `Copy code ${code}` }).count();
      })
      .toBe(1);
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No devices yet.").waitFor();
  });

  test("fills an empty server with a sample, and offers a key that may only read none", async () => {
    await empty(setup(), other);
    const { key } = await request<{ key: string }>(setup(), "POST /api/keys", { name: "reader", scope: "read" });
    const path = `/servers/${other}`;
    await using reader = await visit(setup(), { key, path });
    await reader.page.getByText("curl smtp://").waitFor();
    expect(await reader.page.getByRole("button", { name: "Send a sample" }).count()).toBe(0);
    await using visited = await visit(setup(), { path });
    const { page } = visited;
    await page.getByLabel("Framework").selectOption("Rails");
    await page.reload();
    await page.getByText("config/environments/development.rb").waitFor();
    await page.getByRole("button", { name: "Send a sample" }).click();
    await page.getByRole("button", { name: "Copy code 482913" }).waitFor();
    await reader.page.getByRole("link", { name: /Your sign-in code/ }).click();
    await reader.page.getByRole("tab", { name: /Attachments/ }).waitFor();
    await reader.page.getByRole("tab", { name: /Links/ }).waitFor();
    expect([...visited.consoleErrors, ...reader.consoleErrors]).toEqual([]);
  });

  test("shows actor, client address and change in the audit log", async () => {
    await request(setup(), "PUT /api/approved-phrases", { phrases: ["YES", "NO"] });
    await using visited = await visit(setup(), { path: "/audit" });
    const row = visited.page.getByRole("row").filter({ hasText: "approved_phrases.set" }).first();
    await row.waitFor();
    expect(await row.innerText()).toMatch(/Key .+127\.0\.0\.1.+approved_phrases\.set.+count: 2/s);
  });

  test("requests verification of an address, verifies it with the token and removes it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    const relay = `smtp://127.0.0.1:${setup().service.smtp.port}?verifyCertificate=false`;
    const environment = { RESTANTE_RELAY_URL: relay };
    await using service = await LocalService.start([`--data-dir=${join(folder, "data")}`], environment);
    const owner = `owner@${server}.outside.example`;
    await empty(setup(), server);
    const target = { browser: setup().browser, service: { url: service.url, apiKey: service.shown("API key") } };
    await using visited = await visit(target, { path: "/addresses" });
    const { page } = visited;
    await page.getByText("No addresses yet.").waitFor();
    await page.getByLabel("Address", { exact: true }).fill(owner);
    await page.keyboard.press("Enter");
    const row = page.getByRole("row").filter({ hasText: owner });
    await row.getByText("Pending").waitFor();
    await expect.poll(async () => (await messageIds(setup(), server)).length).toBe(1);
    const [id = ""] = await messageIds(setup(), server);
    const { text } = await request<{ text: { body: string } }>(setup(), `GET /api/messages/${id}`);
    const token = /^[\w-]{32}$/m.exec(text.body)?.[0] ?? "";

    await row.getByRole("button", { name: "Enter token" }).click();
    await page.getByLabel("Token").fill("not it");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await row.getByText("Verified").waitFor();
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No addresses yet.").waitFor();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("creates a server for an hour and shows when it expires", async () => {
    await using visited = await visit(setup());
    const { page } = visited;
    await page.getByRole("button", { name: "New server" }).click();
    await page.getByLabel("Name").fill("One run");
    await page.getByLabel("Lifetime").selectOption("1 hour");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText(/Expires on .* in 59 min/).waitFor();
    await page.goto(setup().service.url);
    await page.getByText(/^expires in \d/).waitFor();
  });

  test("sets and clears retention limits", async () => {
    await using visited = await visit(setup(), { path: `/servers/${other}/settings` });
    const { page } = visited;
    const retention = async (): Promise<unknown> =>
      (await request<{ retention: unknown }>(setup(), `GET /api/servers/${other}`)).retention;
    await page.getByLabel("Delete after (hours)").fill("24");
    await page.getByLabel("Keep at most (messages)").fill("500");
    await page.keyboard.press("Enter");
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await retention()).toEqual({ ageSecondsMax: 86_400, messageCountMax: 500 });
    await page.getByLabel("Delete after (hours)").fill("");
    await page.getByLabel("Keep at most (messages)").fill("");
    await page.keyboard.press("Enter");
    await expect.poll(retention).toEqual({ ageSecondsMax: null, messageCountMax: null });
  });

  test("shows latencies of emails on the activity page", async () => {
    await empty(setup(), other);
    const waiting = request(setup(), `POST /api/messages/search?server=${other}&timeout=60000`, { subject: "Timed" });
    const metrics = `${setup().service.url}/metrics`;
    await expect.poll(async () => (await fetch(metrics)).text()).toMatch(/^restante_waiting_searches 1$/m);
    await send(setup(), { subject: "Timed", text: "x" }, `x@${other}.restante.example.com`);
    await waiting;
    await using visited = await visit(setup(), { path: `/servers/${other}/activity` });
    const { page } = visited;
    const figure = page.getByRole("figure").filter({ hasText: "Latency" });
    for (const step of ["Stored", "Notified"]) {
      await figure.locator("section").filter({ hasText: step }).getByText("median").waitFor();
    }
    expect(await figure.innerText()).toMatch(/\d ms|\d s/);
  });

  test("explains how to get a browser for previews, and what is emulated", async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "Look", html: "<h1>Hello</h1>" }, `x@${server}.restante.example.com`);
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}/previews` });
    const { page } = visited;
    await page.getByRole("alert").getByText("RESTANTE_CHROMIUM").waitFor();
    await page.getByText("Emulated features").first().click();
    await page.getByText("engine and fonts are not emulated").first().waitFor();
    await page.getByRole("button", { name: "Web", exact: true }).click();
    await expect.poll(() => page.getByText("iPhone").count()).toBe(0);
  });
}
