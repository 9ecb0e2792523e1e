import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firefox } from "playwright-core";
import { expect, test } from "vitest";
import { freePort } from "../../../src/testing/free-port.test-aid.ts";
import { LocalService } from "../../../src/testing/local-service.ts";
import { runLocally } from "../local-command.ts";
import { newContext, request, send, visit, type Setup } from "./setup.ts";

/** Whether Playwright has its Firefox; that of the system has not the protocol that Playwright uses. */
const hasFirefox = existsSync(firefox.executablePath());

/** Journeys through signing in and out. */
export function describeSignIn(setup: () => Setup): void {
  test("signs one browser in by the link that is printed at start-up", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    await using service = await LocalService.start([`--data-dir=${join(folder, "data")}`], {});
    const link = service.shown("Web UI");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    const first = await newContext(setup());
    const page = await first.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    // The only server is opened at once; the list of servers remains reachable.
    expect(page.url()).toBe(`${service.url}/servers/${service.shown("Server")}`);
    await page.getByRole("link", { name: "restante: all servers" }).click();
    await page.getByRole("heading", { name: "Servers" }).waitFor();
    await page.getByRole("button", { name: "New server" }).waitFor();
    await page.getByRole("link", { name: "Default" }).click();
    const [cookie] = await first.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    await page.reload();
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    await first.close();

    const second = await newContext(setup());
    const late = await second.newPage();
    await late.goto(link);
    await late.getByRole("alert").getByText("This sign-in link has already been used").waitFor();
    await late.getByLabel("API key").waitFor();
    await second.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("signs the browser in that `restante open` starts, and prints the link where there is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    const argv = [`--data-dir=${join(folder, "data")}`];
    await using service = await LocalService.start(argv, {});
    const opened = join(folder, "opened");
    const browser = join(folder, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
    expect(await runLocally(["open", ...argv], { environment: { BROWSER: browser } })).toMatchObject({
      code: 0,
      out: `Opened ${service.url}/\n`,
    });
    const context = await newContext(setup());
    const page = await context.newPage();
    await page.goto(readFileSync(opened, "utf8"));
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    await context.close();
    for (const missing of [{ DISPLAY: "", WAYLAND_DISPLAY: "" }, { BROWSER: join(folder, "none") }]) {
      const { out } = await runLocally(["open", ...argv], { environment: missing });
      expect(out).toMatch(new RegExp(`^${service.url}/#token=[\\w-]{43}\n$`));
    }
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("keeps sessions across a restart and reconnects open pages", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    const environment = { RESTANTE_API_KEY: "a-key-for-journeys", RESTANTE_SERVERS: "shop1234:Shop" };
    const argv = [`--data-dir=${join(folder, "data")}`, `--http-port=${String(await freePort())}`];
    await using first = await LocalService.start(argv, environment);
    const context = await newContext(setup());
    const page = await context.newPage();
    await page.goto(first.shown("Web UI"));
    await page.locator("[role=status][data-state=live]").waitFor();
    await first.stop();
    await page.locator("[role=status][data-state=offline]").waitFor();
    const desktop = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ width: 390, height: 844 });
    const banner = page.getByText(/^Not connected to the service/);
    await banner.waitFor();
    await page.setViewportSize(desktop);
    await using second = await LocalService.start(argv, environment);
    await page.locator("[role=status][data-state=live]").waitFor();
    expect(await banner.count()).toBe(0);
    await second.send("anyone@shop1234.restante.example.com", "After the restart");
    await page.getByText("After the restart").waitFor();
    await page.reload();
    await page.locator("[role=status][data-state=live]").waitFor();
    await context.close();
    await second.stop();
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!hasFirefox)(
    `opens a list and a message in Firefox${hasFirefox ? "" : " (SKIPPED: npx playwright install firefox)"}`,
    async () => {
      const { service, servers } = setup();
      await send(setup(), { subject: "In Firefox", html: "<p>Hello" }, `fox@${servers[0]}.restante.example.com`);
      const browser = await firefox.launch();
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      await page.goto(`${service.url}/servers/${servers[0]}#token=${service.apiKey}`);
      await page.getByRole("link", { name: /In Firefox$/ }).click();
      await page.frameLocator("iframe").getByText("Hello").waitFor();
      await page.getByRole("tab", { name: "Source" }).click();
      await page.getByText("Subject: In Firefox").waitFor();
      await browser.close();
      expect(errors).toEqual([]);
    },
  );

  test("signs in with a key", async () => {
    const { service } = setup();
    const context = await newContext(setup());
    const page = await context.newPage();
    await page.goto(service.url);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "restante: all servers" }).waitFor();
    await context.close();
  });

  test("signs new tabs in, also after the last one was closed, and asks for the key after signing out", async () => {
    const { service, servers } = setup();
    await using visited = await visit(setup());
    const other = await visited.context.newPage();
    await other.goto(`${service.url}/servers/${servers[0]}`);
    await other.locator("[role=status][data-state=live]").waitFor();
    await visited.page.close();
    await other.reload();
    await other.locator("[role=status][data-state=live]").waitFor();
    await other.close();
    const late = await visited.context.newPage();
    await late.goto(service.url);
    await late.getByRole("button", { name: "Sign out" }).click();
    await late.getByLabel("API key").waitFor();
    await late.close();
    const last = await visited.context.newPage();
    await last.goto(service.url);
    await last.getByLabel("API key").waitFor();
    expect(await last.evaluate("[localStorage.length, sessionStorage.length]")).toEqual([0, 0]);
  });

  test("has no session in a browser that has only its cookie, or only what its pages store", async () => {
    const { service } = setup();
    await using visited = await visit(setup());
    const cookies = await visited.context.cookies();
    const stored = await visited.page.evaluate<string>(`localStorage.getItem("restante-session")`);
    expect([cookies.length, stored.length]).toEqual([1, 43]);
    for (const [hasCookie, script] of [
      [true, ""],
      [false, `localStorage.setItem("restante-session", ${JSON.stringify(stored)})`],
    ] as const) {
      const thief = await newContext(setup());
      if (hasCookie) await thief.addCookies(cookies);
      await thief.addInitScript(script);
      const page = await thief.newPage();
      await page.goto(service.url);
      await page.getByLabel("API key").waitFor();
      await thief.close();
    }
    await visited.page.reload();
    await visited.page.getByRole("heading", { name: "Servers" }).waitFor();
  });

  test("shows only the server of a restricted key, and no account pages", async () => {
    const { service, servers } = setup();
    const body = { name: "one", server: servers[0] };
    const { key, id } = await request<{ key: string; id: string }>(setup(), "POST /api/keys", body);
    await using visited = await visit(setup(), { key });
    const { page } = visited;
    await page.waitForURL(`**/servers/${servers[0]}`);
    await page.getByRole("link", { name: "restante: all servers" }).click();
    await page.getByRole("link", { name: "Server 1" }).waitFor();
    expect(await page.getByRole("link", { name: "Server 2" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "New server" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Account" }).count()).toBe(0);
    await page.goto(`${service.url}/servers/${servers[1]}`);
    await page.getByText("Server not found").waitFor();

    await request(setup(), `DELETE /api/keys/${id}`);
    await page.goto(service.url);
    await page.getByLabel("API key").waitFor();
  });

  test("signs out all pages of the browser at once", async () => {
    await using visited = await visit(setup(), { path: `/servers/${setup().servers[0]}` });
    const other = await visited.context.newPage();
    await other.goto(`${setup().service.url}/servers/${setup().servers[1]}`);
    await other.locator("[role=status][data-state=live]").waitFor();
    await visited.page.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("API key").waitFor();
  });

  test("closes the session on the service when signing out", async () => {
    await using visited = await visit(setup());
    const { page, context } = visited;
    const cookies = await context.cookies();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await context.addCookies(cookies);
    await page.reload();
    await page.getByLabel("API key").waitFor();
  });
}
