import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { addAxe, violations as foundViolations } from "./page-state.ts";
import { empty, request, rowsOf, send, visit, type Setup } from "./setup.ts";
import { waitForDialog } from "./walk.ts";

const [server, other] = ["shop1234", "auth5678"] as const;

/** Journeys through the search over all servers, saved searches and the command palette. */
export function describeSearching(setup: () => Setup): void {
  beforeAll(async () => {
    await empty(setup(), server);
    await empty(setup(), other);
    await send(setup(), { subject: "Invoice 12", text: "Due on Friday" }, `anna@${server}.restante.example.com`);
    await send(setup(), { subject: "Welcome", text: "No invoice" }, `ben@${other}.restante.example.com`);
    await request(setup(), `PUT /api/servers/${server}/searches/Due`, { q: "body:due" });
  });

  test("marks matches, searches all servers and returns, and opens saved searches", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}`, reducedMotion: "reduce" });
    const { page, consoleErrors } = visited;
    await page.keyboard.press("/");
    await page.keyboard.type("INVOICE");
    await page.waitForURL("**?q=INVOICE");
    await expect.poll(async () => marksOf(page)).toEqual(["Invoice"]);
    await page.getByRole("link", { name: "Search all servers" }).click();
    const results = page.getByRole("list", { name: "Search results" }).getByRole("listitem");
    await expect.poll(async () => results.count()).toBe(2);
    await expect.poll(async () => (await marksOf(page)).toSorted()).toEqual(["Invoice", "invoice"]);
    expect(await violations(page)).toEqual([]);
    await results.getByRole("link", { name: "Welcome" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/servers/${other}/messages/[^/]+\\?q=INVOICE$`));
    await page.goBack();
    await page.getByRole("button", { name: "Server 1" }).click();
    await page.waitForURL(`**/servers/${server}?q=INVOICE`);
    await page.getByRole("button", { name: "Saved searches" }).click();
    await page.getByRole("button", { name: /^Due/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: /^Due/ }).click();
    await page.getByRole("button", { name: "Remove body:due" }).waitFor();
    await expect.poll(async () => rowsOf(page).count()).toBe(1);
    expect(consoleErrors).toEqual([]);
  });

  test("shows and marks a match deep in a text in the row of its message", async () => {
    const text = `${"Hello and good morning. ".repeat(40)}The haystack has a needle. ${"Goodbye. ".repeat(40)}`;
    await send(setup(), { subject: "Deep", text }, `anna@${server}.restante.example.com`);
    await using visited = await visit(setup(), { path: `/servers/${server}?q=NEEDLE` });
    const row = rowsOf(visited.page).filter({ hasText: "Deep" });
    await row.getByText(/^….*The haystack has a needle\./).waitFor();
    await expect.poll(async () => marksOf(visited.page)).toEqual(["needle"]);
  });

  test("runs commands and opens messages of all servers by keyboard, in dark mode on a phone and in light mode at 1440 px", async () => {
    const phone = { width: 390, height: 800 };
    await using visited = await visit(setup(), {
      path: `/servers/${server}`,
      colorScheme: "dark",
      viewport: phone,
      reducedMotion: "reduce",
    });
    const { page, consoleErrors } = visited;
    const violationsInBoth = async (): Promise<readonly string[]> => {
      const onPhone = await violations(page);
      await page.setViewportSize({ width: 1440, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.evaluate("new Promise(requestAnimationFrame)");
      const wide = await violations(page);
      await page.setViewportSize(phone);
      await page.emulateMedia({ colorScheme: "dark" });
      return [...onPhone, ...wide.map((violation) => `light at 1440 px: ${violation}`)];
    };
    await rowsOf(page).first().waitFor();
    await page.getByRole("combobox", { name: "Search messages" }).fill("fro");
    await page.getByRole("option", { name: "from:" }).waitFor();
    expect(await violationsInBoth()).toEqual([]);
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Search messages, servers, pages and actions" });
    await box.waitFor();
    await page.getByRole("option", { name: "Welcome" }).waitFor();
    expect(await violationsInBoth()).toEqual([]);
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await waitForDialog(page, "Search and commands");
    await page.keyboard.type("welcome");
    await page.getByRole("option", { name: "Invoice 12" }).waitFor({ state: "detached" });
    await expect.poll(async () => page.locator("[role=option][aria-selected=true]").textContent()).toContain("Welcome");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    expect(page.url()).toContain(`/servers/${other}/messages/`);
    expect(consoleErrors).toEqual([]);
  });

  test("runs the command that is entered while the palette loads", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page, consoleErrors } = visited;
    const isLoading = Promise.withResolvers<undefined>();
    await page.route(/\/assets\/palette-[^/]+\.js$/, async (route) => {
      await isLoading.promise;
      await route.continue();
    });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(other);
    await page.keyboard.press("Enter");
    expect(page.url()).toContain(`/servers/${server}`);
    isLoading.resolve(undefined);
    await page.waitForURL(`**/servers/${other}`);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(consoleErrors).toEqual([]);
  });
}

/** Returns the marked texts of rows. */
async function marksOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...(CSS.highlights.get("search-match") ?? [])].map(String)`);
}

async function violations(page: Page): Promise<readonly string[]> {
  if (await page.evaluate<boolean>("globalThis.axe === undefined")) await addAxe(page);
  return foundViolations(page);
}
