import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { accountViews, messageTabs, serverViews } from "../../../web/navigation/routes.ts";
import { showView } from "./accessibility.ts";
import { smallTargets } from "./page-state.ts";
import { empty, messageIds, request, send, visit, type Setup } from "./setup.ts";

const server = "auth5678";

/** Journeys through states that are not the usual one: unknown addresses, failed sign-in, other colour schemes. */
export function describeStates(setup: () => Setup): void {
  test("shows a page for an unknown address and for an unknown server, and keeps the JSON of the API", async () => {
    const { service } = setup();
    await using visited = await visit(setup());
    const { page } = visited;
    const response = await page.goto(`${service.url}/nope`);
    expect(response?.status()).toBe(404);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    await page.goto(`${service.url}/servers/unknown1`);
    await page.getByRole("heading", { name: "Server not found" }).waitFor();
    // Two seconds later, the page has polled: it is connected, and says nothing about a connection.
    await page.waitForResponse((one) => one.url().includes("/api/messages?server=unknown1") && one.status() === 404);
    expect(await page.locator("[data-state]:not([data-state=live])").count()).toBe(0);
    expect(await page.getByText(/Disconnected|Not connected/).count()).toBe(0);
    expect(await page.getByRole("combobox", { name: "Server" }).inputValue()).toBe("unknown1");
    await page.getByRole("link", { name: "All servers", exact: true }).click();
    await page.getByRole("heading", { name: "Servers" }).waitFor();
    expect((await page.goto(`${service.url}/api/nope`))?.headers()["content-type"]).toContain("json");
  });

  test("logs no error in the console on any page of a server that has no settings yet", async () => {
    const { id } = await request<{ id: string }>(setup(), "POST /api/servers", { name: "New" });
    await using visited = await visit(setup(), { path: `/servers/${id}` });
    const { page, consoleErrors } = visited;
    const failed: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    for (const view of serverViews) await showView(page, `/servers/${id}/${view}`);
    const mail = {
      subject: "First",
      text: "Hello",
      html: "<p>Hello",
      attachments: [{ filename: "a.csv", content: "a" }],
    };
    await send(setup(), mail, `a@${id}.restante.example.com`);
    const [message = ""] = await messageIds(setup(), id);
    const views = [
      "/",
      "/search?q=first",
      ...accountViews.map((view) => `/${view}`),
      `/servers/${id}`,
      `/servers/${id}?q=nothing-has-this`,
      // Previews request a browser, and show that this service has none.
      ...messageTabs.filter((tab) => tab !== "previews").map((tab) => `/servers/${id}/messages/${message}/${tab}`),
    ];
    for (const view of views) await showView(page, view);
    await request(setup(), `DELETE /api/servers/${id}`).catch(() => undefined);
    expect([consoleErrors, failed]).toEqual([[], []]);
  });

  test("has targets of 44 pixels for fingers on every page and tab of a phone", async () => {
    const { id: quiet } = await request<{ id: string }>(setup(), "POST /api/servers", { name: "Quiet" });
    const attachments = [{ filename: "terms.txt", content: "Terms" }];
    const mail = { subject: "Your code is 482913", html: "<p>Code: 482913", attachments };
    await send(setup(), mail, `a+tagged@${server}.restante.example.com`);
    const [message = ""] = await messageIds(setup(), server);
    const path = `/servers/${server}`;
    const paths = [
      "/",
      "/search?q=code",
      path,
      `${path}?q=is%3Aunread+from%3Aapp`,
      `/servers/${quiet}`,
      `${path}/messages/${message}`,
      ...messageTabs.filter((tab) => tab !== "previews").map((tab) => `${path}/messages/${message}/${tab}`),
      ...serverViews.map((view) => `${path}/${view}`),
      ...accountViews.map((view) => `/${view}`),
    ];
    await using visited = await visit(setup(), { viewport: { width: 390, height: 844 } });
    const found: string[] = [];
    for (const one of paths) {
      await showView(visited.page, one);
      found.push(...(await smallTargets(visited.page)).map((fault) => `${one}: ${fault}`));
    }
    expect(found).toEqual([]);
    await request(setup(), `DELETE /api/servers/${quiet}`);
  });

  test("loads at most 140 kB of compressed scripts for the first view, which they name when it is more", async () => {
    await send(setup(), { subject: "Small", text: "Hello" }, "a@shop1234.restante.example.com");
    await using visited = await visit(setup(), { script: "0" });
    const { page } = visited;
    const urls = new Set<string>();
    page.on("request", (sent) => {
      if (new URL(sent.url()).pathname.endsWith(".js")) urls.add(sent.url());
    });
    await page.goto(`${setup().service.url}/servers/shop1234`);
    await page.locator("[data-id]").first().waitFor();
    await page.locator("[role=status][data-state=live]").waitFor();
    const sizeOf = async (url: string): Promise<readonly [name: string, bytes: number]> => {
      const body = await (await fetch(url)).arrayBuffer();
      return [new URL(url).pathname, gzipSync(new Uint8Array(body)).byteLength];
    };
    const scripts = await Promise.all(Array.from(urls, sizeOf));
    const bytes = scripts.reduce((sum, [, each]) => sum + each, 0);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes, `${bytes} bytes: ${scripts.map(([name, each]) => `${name} ${each}`).join(", ")}`).toBeLessThan(
      140_000,
    );
  });

  test("names active fault rules above every page on a phone, counts them, pauses and removes one", async () => {
    const { id } = await request<{ id: string }>(setup(), "POST /api/servers", { name: "Faulty" });
    const rule = (name: string): object => ({ name, match: { stage: "rcpt" }, then: { reply: { code: 451 } } });
    await request(setup(), `PUT /api/servers/${id}/faults`, { items: [rule("Defer all"), rule("Second")] });
    const address = `a@${id}.restante.example.com`;
    await expect(send(setup(), { subject: "Deferred", text: "x" }, address)).rejects.toThrow("451");
    await using visited = await visit(setup(), { path: `/servers/${id}`, viewport: { width: 390, height: 844 } });
    const { page, consoleErrors } = visited;
    await page.getByText("Fault rule “Defer all” is active · 1 hit").waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Faults 2" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove the fault rule Defer all" }).click();
    await page.getByText("Fault rule “Defer all” is active").waitFor({ state: "detached" });
    await page.getByText("Fault rule “Second” is active · 0 hits").waitFor();
    const items = async (): Promise<unknown> => request(setup(), `GET /api/servers/${id}/faults`);
    expect(await items()).toMatchObject([{ name: "Second", state: "active" }]);
    // A paused rule lets mail pass and is named no longer; its page resumes it.
    await page.getByRole("button", { name: "Pause the fault rule Second" }).click();
    await page.getByText("Fault rule “Second” is active").waitFor({ state: "detached" });
    await send(setup(), { subject: "Passed", text: "x" }, address);
    expect(await items()).toMatchObject([{ name: "Second", state: "paused", hits: 0 }]);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: "Server pages" }).getByRole("link", { name: "Faults" }).click();
    await page.getByRole("button", { name: "Actions of Second" }).click();
    await page.getByRole("menuitem", { name: "Resume" }).click();
    await page.getByRole("row", { name: /Second.*Active/ }).waitFor();
    await page.goBack();
    await page.getByText("Fault rule “Second” is active · 0 hits").waitFor();
    // Those of the whole service are named, too.
    const everywhere = {
      name: "For all servers",
      match: { stage: "rcpt", recipient: "nobody@nowhere.example" },
      then: { reply: { code: 451 } },
    };
    await request(setup(), "PUT /api/faults", { items: [everywhere] });
    await page.reload();
    await page.getByRole("button", { name: "Remove the fault rule For all servers" }).click();
    await page.getByText("Fault rule “For all servers” is active").waitFor({ state: "detached" });
    expect(await request(setup(), "GET /api/faults")).toMatchObject([]);
    expect(consoleErrors).toEqual([]);
    await request(setup(), `DELETE /api/servers/${id}`);
  });

  test("draws what it does not know during an outage as unknown, and loads it when the outage ends", async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "Code", text: "Your code is 482913." }, `a@${server}.restante.example.com`);
    await using visited = await visit(setup());
    const { page } = visited;
    let isOut = true;
    await page.route("**/web/glances?*", async (route) => {
      await (isOut ? route.fulfill({ status: 503, json: { message: "Out" } }) : route.continue());
    });
    await page.goto(`${setup().service.url}/servers/${server}`);
    const row = page.locator("li[data-id]");
    await page.locator("[role=status][data-state=incomplete]").waitFor();
    expect(await row.getAttribute("data-unread")).toBe("unknown");
    await row.getByText("…").waitFor();
    isOut = false;
    await page.getByRole("button", { name: "Copy code 482913" }).waitFor();
    await page.locator("[role=status][data-state=live]").waitFor();
    expect(await row.getAttribute("data-unread")).toBe("true");
  });

  test("shows email without a dark style on white on a dark system, and keeps a chosen theme", async () => {
    await send(
      setup(),
      { subject: "Plain", html: `<p style="color:#111">Readable</p>` },
      `a@${server}.restante.example.com`,
    );
    const dark = `<style>@media (prefers-color-scheme: dark) { p { color: #fefefe } }</style><p>Both`;
    await send(setup(), { subject: "Adaptive", html: dark }, `b@${server}.restante.example.com`);
    const [adaptive = "", plain = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), {
      colorScheme: "dark",
      path: `/servers/${server}/messages/${plain}`,
    });
    const { page } = visited;
    const groundOf = async (): Promise<unknown> =>
      page.evaluate("getComputedStyle(document.querySelector('iframe')).backgroundColor");
    const paragraph = page.frameLocator("iframe").locator("p");
    const colour = async (): Promise<unknown> =>
      paragraph.evaluate("getComputedStyle(document.querySelector('p')).color");
    await paragraph.waitFor();
    expect(await groundOf()).toBe("rgb(255, 255, 255)");
    await page.goto(`${setup().service.url}/servers/${server}/messages/${adaptive}`);
    await expect.poll(colour).toBe("rgb(254, 254, 254)");
    await page.getByRole("button", { name: "Dark mode of the email" }).click();
    await expect.poll(colour).toBe("rgb(0, 0, 0)");

    const pageGround = async (): Promise<unknown> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const darkGround = await pageGround();
    await page.getByRole("button", { name: "Theme: system" }).click();
    await expect.poll(pageGround).not.toBe(darkGround);
    await page.reload();
    // The email is shown for the theme that the page has when it appears.
    await paragraph.waitFor();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await expect.poll(pageGround).toBe(darkGround);
    await expect.poll(colour).toBe("rgb(0, 0, 0)");
  });
}
