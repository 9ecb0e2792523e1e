import { readFile } from "node:fs/promises";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { expect, test } from "vitest";
import { request, empty, messageIds, send, visit, type Setup } from "./setup.ts";

const server = "shop1234";
const to = `reader@${server}.restante.example.com`;

/** Journeys through display options, downloads, keys and filters. */
export function describeDisplayKeysAndFilters(setup: () => Setup): void {
  test("shows an email at other widths and in dark mode, and downloads its source", async () => {
    await empty(setup(), server);
    const html =
      "<style>.night{display:none}@media(prefers-color-scheme:dark){.night{display:block}.day{display:none}}</style>" +
      '<p class="day">By day</p><p class="night">By night</p>';
    await send(setup(), { subject: "Colours", html }, to);
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}` });
    const { page } = visited;
    const frame = page.locator("iframe");
    const shown = (text: string) => page.frameLocator("iframe").getByText(text);
    const width = async (): Promise<number> => Math.round((await frame.boundingBox())?.width ?? 0);
    await shown("By day").waitFor();
    expect(await shown("By night").isVisible()).toBe(false);
    const full = await width();
    for (const [name, px] of [
      ["Phone, 375 px", 375],
      ["Tablet, 768 px", 768],
    ] as const) {
      await page.getByLabel("Width", { exact: true }).selectOption(name);
      await expect.poll(width).toBe(Math.min(px, full));
    }
    await page.getByRole("button", { name: "Dark mode of the email" }).click();
    await shown("By night").waitFor();
    expect(await shown("By day").isVisible()).toBe(false);

    await page.getByRole("button", { name: "Actions" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Download as .eml" }).click(),
    ]);
    const { service } = setup();
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const stored = Buffer.from(await (await fetch(`${service.url}/api/files/email/${id}`, { headers })).arrayBuffer());
    expect(Buffer.compare(await readFile(await download.path()), stored)).toBe(0);
    expect(download.suggestedFilename()).toMatch(/\.eml$/);

    await page.getByRole("button", { name: "Actions" }).click();
    const [bundle] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Download bundle (ZIP)" }).click(),
    ]);
    expect(bundle.suggestedFilename()).toBe(`bundle-${id}.zip`);
    expect((await readFile(await bundle.path())).toString("latin1", 0, 2)).toBe("PK");
  });

  test("prints a message with its header: all of it by its control, whatever the email says, and no controls", async () => {
    await empty(setup(), server);
    const hidden = "<style>body > * { display: none !important } body > p { display: block !important }</style>";
    const lines = Array.from({ length: 200 }, (_, at) => `<p>Line ${at}</p>`).join("");
    const from = "Shop <app@example.com>";
    await send(setup(), { from, subject: "Long terms", html: hidden + lines }, to);
    const [id = ""] = await messageIds(setup(), server);
    const path = `/servers/${server}/messages/${id}`;
    await using visited = await visit(setup(), { path, colorScheme: "dark" });
    const { page, consoleErrors } = visited;
    await page.frameLocator("iframe").getByText("Line 3", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Print" }).click();
    const source = (await page.getByTitle("Email for printing").getAttribute("src")) ?? "";
    const printed = await page.context().newPage();
    await printed.goto(setup().service.url + source);
    expect(await printed.title()).toBe("Long terms");
    const text = await textOfPdf(await printed.pdf());
    for (const part of ["Long terms", `From: ${from}`, "To: ", "Line 0", "Line 199"]) expect(text).toContain(part);
    expect(await printed.evaluate("document.scripts.length")).toBe(0);
    await printed.close();
    // What the browser prints by itself has the header, too.
    const own = await textOfPdf(await page.pdf());
    for (const part of ["Long terms", from, "Line 3"]) expect(own).toContain(part);
    for (const control of ["Reply", "Inbox", "Source", "Attachments"]) expect(own).not.toContain(control);
    await page.goto(`${setup().service.url}${path}/headers`);
    await page.getByRole("table", { name: "Header fields" }).waitFor();
    expect(await textOfPdf(await page.pdf())).toContain("Content-Type");
    expect(consoleErrors).toEqual([]);
  });

  test("creates a key, shows its secret once and revokes it", async () => {
    await using visited = await visit(setup(), { path: "/keys" });
    const { page } = visited;
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Nightly run");
    await page.getByRole("button", { name: "Create" }).click();
    const key = await page.getByRole("dialog").locator("code").innerText();
    await page.keyboard.press("Escape");
    await page.getByText("Not copied yet.").waitFor();
    const status = async (): Promise<number> =>
      (await fetch(`${setup().service.url}/api/servers`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status()).toBe(200);
    await page.getByRole("button", { name: "Copy and close" }).click();
    await expect.poll(() => page.getByText(key).count()).toBe(0);
    const row = page.getByRole("row").filter({ hasText: "Nightly run" });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    // The dialog hides the row from the accessibility tree as long as it is open.
    await page.getByText("Key revoked").waitFor();
    await row.waitFor({ state: "detached" });
    expect(await status()).toBe(401);
  });

  test("creates a restricted key, lists its expiry and last use, and rotates it", async () => {
    await using visited = await visit(setup(), { path: "/keys" });
    const { page } = visited;
    const status = async (key: string, path = "/api/servers", method = "GET"): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${setup().service.url}${path}`, { method, headers })).status;
    };
    await page.getByRole("button", { name: "New key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Dashboard");
    await dialog.getByLabel("Scope").selectOption({ label: "Read only: list, search, wait" });
    await dialog.getByLabel("Expires").selectOption({ label: "In 90 days" });
    await dialog.getByLabel("Allowed addresses").fill("127.0.0.1, ::1");
    await dialog.getByLabel("Requests per minute").fill("600");
    await dialog.getByRole("button", { name: "Create" }).click();
    const key = await dialog.locator("code").innerText();
    expect([await status(key), await status(key, `/api/messages?server=${server}`, "DELETE")]).toEqual([200, 403]);
    await dialog.getByRole("button", { name: "Copy and close" }).click();
    const row = page.getByRole("row").filter({ hasText: "Dashboard" });
    await row.getByText("Read only").waitFor();
    await row.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("Current secret").selectOption({ label: "Expires immediately" });
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await expect.poll(async () => dialog.locator("code").innerText()).not.toBe(key);
    const rotated = await dialog.locator("code").innerText();
    expect([await status(key), await status(rotated)]).toEqual([401, 200]);
    await dialog.getByRole("button", { name: "Copy and close" }).click();
    const listed = await request<{ name: string; lastUsed: string | null; expires: string | null }[]>(
      setup(),
      "GET /api/keys",
    );
    expect(listed.find(({ name }) => name === "Dashboard")).toMatchObject({
      lastUsed: expect.any(String) as string,
      expires: expect.any(String) as string,
    });
  });

  test("filters by the time received", async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "Early", text: "one" }, to);
    await using early = await visit(setup(), { path: `/servers/${server}?after=2999-01-01T00:00:00Z` });
    await early.page.getByText("No messages match.").waitFor();
    await using late = await visit(setup(), { path: `/servers/${server}?after=2026-01-01T00:00:00Z` });
    await late.page.getByRole("link", { name: `Unread, from app@example.com to ${to}: Early` }).waitFor();
  });
}

/** Returns the text of all pages of a PDF. */
async function textOfPdf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const texts: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    texts.push(items.map((item) => ("str" in item ? item.str : "")).join(""));
  }
  await pdf.destroy();
  return texts.join("\n");
}
