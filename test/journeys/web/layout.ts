import { beforeAll, expect, test } from "vitest";
import { showView } from "./accessibility.ts";
import { empty, messageIds, request, rowsOf, send, visit, type Setup } from "./setup.ts";
import { waitForDialog } from "./walk.ts";

const server = "shop1234";
const phone = { width: 390, height: 844 } as const;

/** Journeys at several widths of the window, and through forms that are closed and opened again. */
export function describeLayout(setup: () => Setup): void {
  let wide: string;
  beforeAll(async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "Wide", html: "<p>Hello" }, `wide@${server}.restante.example.com`);
    [wide = ""] = await messageIds(setup(), server);
  });

  test("shows who sent a message to whom, and both lines of an SMS, on a narrow phone", async () => {
    const other = "auth5678";
    await empty(setup(), other);
    const image = { filename: "logo.png", content: "x", cid: "logo" };
    const mail = {
      from: '"Harbour Coffee Newsletter" <a@example.com>',
      html: "<img src=cid:logo>",
      attachments: [image],
    };
    await send(setup(), mail, `anybody.at.the.harbour@${other}.restante.example.com`);
    const number = "+15550188";
    await request(setup(), "POST /api/phone-numbers", { number, server: other });
    const text = "Your parcel was handed to the courier and arrives between two and four in the afternoon";
    await request(setup(), "POST /api/sms", { from: "+15550199", to: number, text });
    await using visited = await visit(setup(), { viewport: { width: 360, height: 740 }, path: `/servers/${other}` });
    const rows = rowsOf(visited.page);
    const sms = rows.filter({ hasText: "Your parcel" }).locator("[data-field=body]");
    expect((await sms.boundingBox())?.height).toBeGreaterThan(34);
    for (const field of ["from", "to"]) {
      // The ellipsis of a recipient is that of the parent.
      const shown = rows.filter({ hasText: "Harbour" }).locator(`[data-field=${field}]`);
      const box = await (field === "to" ? shown.locator("..") : shown).boundingBox();
      expect([field, Math.round(box?.width ?? 0) >= 80]).toEqual([field, true]);
    }
  });

  test("has all pages in the menu of a phone, and a label on each page of larger screens", async () => {
    await using visited = await visit(setup(), { viewport: phone, path: `/servers/${server}` });
    const { page } = visited;
    const menu = page.getByRole("dialog", { name: "Menu" });
    await page.getByRole("button", { name: "Menu" }).click();
    const current = menu.getByRole("link", { name: "Inbox" });
    expect(await current.getAttribute("aria-current")).toBe("page");
    await menu.getByRole("link", { name: "Sent" }).click();
    await menu.waitFor({ state: "detached" });
    await page.getByText("No messages have been sent from this server.").waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await menu.getByRole("link", { name: "Devices" }).click();
    await page.getByRole("heading", { name: "Devices" }).waitFor();

    for (const width of [820, 1180, 1440, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ["/usage", `/servers/${server}/activity`]) {
        await showView(page, path);
        await page
          .locator("nav a[aria-current=page]")
          .getByText(path === "/usage" ? "Usage" : "Activity")
          .waitFor();
        const end = `Math.max(...[...document.querySelectorAll("nav a")].map((link) => link.getBoundingClientRect().right))`;
        expect(await page.evaluate(end)).toBeLessThanOrEqual(width);
      }
    }
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByText("No messages have been sent from this server.").waitFor();
    expect(await page.getByRole("link", { name: "Sent" }).getAttribute("aria-current")).toBe("page");
  });

  test("shows its frame and requests its data while its code is loaded", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await page.getByRole("link", { name: /Wide$/ }).waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    const requested: string[] = [];
    page.on("request", (sent) => requested.push(new URL(sent.url()).pathname));
    await page.route(/\/assets\/first-view-[^/]+\.js$/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.reload({ waitUntil: "commit" });
    await page.getByText("Loading…").waitFor();
    await page.getByText("restante", { exact: true }).waitFor();
    const paths = ["/web/session", "/api/servers", "/api/messages"];
    await expect.poll(() => paths.filter((path) => requested.includes(path))).toEqual(paths);
    resolve();
    await page.getByRole("link", { name: /Wide$/ }).waitFor();
    expect(requested.filter((path) => path === "/web/session")).toHaveLength(1);
  });

  test("keeps drafts when a form closes, and offers to verify a recipient before sending", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${wide}` });
    const { page } = visited;
    await page.getByRole("button", { name: "Forward" }).waitFor();
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog", { name: "Forward" });
    await dialog.getByLabel("To").fill("owner@outside.example");
    await dialog.getByLabel("Text").fill("Half a sentence");
    await dialog.getByText("owner@outside.example is not verified.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("f");
    await waitForDialog(page, "Forward");
    expect(await dialog.getByLabel("Text").inputValue()).toBe("Half a sentence");
    expect(await dialog.getByLabel("To").inputValue()).toBe("owner@outside.example");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("n");
    await page.getByLabel("To", { exact: true }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type(`inbox@${server}.restante.example.com`);
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(`inbox@${server}.restante.example.com`);
    expect(await page.getByText("is not verified.").count()).toBe(0);
    await page.getByLabel("Subject").fill("Kept");
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("heading", { name: "Messages" }).waitFor();
    await page.keyboard.press("n");
    expect(await page.getByLabel("Subject").inputValue()).toBe("Kept");
    await page.getByRole("button", { name: "Send email" }).click();
    await page.getByRole("heading", { name: "Kept" }).waitFor();
    await page.keyboard.press("n");
    expect(await page.getByLabel("Subject").inputValue()).toBe("");
  });
}
