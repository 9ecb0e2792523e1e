import { expect, test } from "vitest";
import { addAxe, violations } from "./page-state.ts";
import { empty, messageIds, request, rowsOf, send, visit, type Setup } from "./setup.ts";

const server = "auth5678";
const to = `reader@${server}.restante.example.com`;

/** Journeys through read marks, stars, tags and filters of the list. */
export function describeMarks(setup: () => Setup): void {
  test("shows marks of the store live, filters by them, and changes them for all results", async () => {
    await empty(setup(), server);
    const image = {
      filename: "logo.png",
      content: Buffer.from("png"),
      cid: "logo",
      contentDisposition: "inline" as const,
    };
    const html = '<img src="cid:logo">';
    for (const subject of ["One", "Two", "Three"]) await send(setup(), { subject, html, attachments: [image] }, to);
    await using visited = await visit(setup(), { path: `/servers/${server}`, reducedMotion: "reduce" });
    const { page } = visited;
    await addAxe(page);
    const row = (subject: string) => rowsOf(page).filter({ hasText: subject });
    await page.getByRole("link", { name: `Unread, from app@example.com to ${to}: One` }).waitFor();
    await expect.poll(async () => page.title()).toMatch(/^\(3\) /);
    const icon = page.locator("link[rel=icon]");
    const withDot = await icon.getAttribute("href");
    await row("One").getByText("1 inline image or file").waitFor();
    expect(await row("One").getByText("attachment").count()).toBe(0);
    expect(await row("One").textContent()).toMatch(/^app@example\.com→readerOne/);

    const [, , first = ""] = await messageIds(setup(), server);
    await request(setup(), `POST /api/messages/marks?server=${server}`, {
      ids: [first],
      addFlags: ["seen"],
      addTags: ["beta"],
    });
    await page.getByRole("link", { name: `Unread, from app@example.com to ${to}: One` }).waitFor({ state: "detached" });
    await expect.poll(async () => page.title()).toMatch(/^\(2\) /);
    expect(await icon.getAttribute("href")).toBe(withDot);

    await row("Two").getByRole("link").focus();
    await page.keyboard.press("s");
    await row("Two").getByRole("button", { name: "Star Two", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Starred" }).click();
    await expect.poll(async () => rowsOf(page).count()).toBe(1);
    await page.getByRole("button", { name: "Starred" }).click();

    await page.getByRole("checkbox", { name: "Select all loaded messages" }).check();
    await page.getByRole("button", { name: "Tags", exact: true }).click();
    await page.getByRole("combobox", { name: "Add tag" }).fill("paid");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("1 of 3").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await row("One").getByRole("button", { name: "Show only messages tagged beta" }).click();
    await expect.poll(async () => rowsOf(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?q=tag%3Abeta");
    await row("One").getByRole("button", { name: "Show only messages tagged paid" }).waitFor();
    await request(setup(), `POST /api/messages/marks?server=${server}`, {
      ids: await messageIds(setup(), server),
      addFlags: ["seen"],
    });
    await expect.poll(async () => icon.getAttribute("href")).not.toBe(withDot);
  });

  test("deletes all results of a search after a confirmation with their number", async () => {
    await empty(setup(), server);
    const mails = Array.from({ length: 105 }, (_, at) => ({ to, subject: `Load test ${at}`, text: "x" }));
    for (const mail of mails) await request(setup(), `POST /api/messages?server=${server}`, mail);
    await send(setup(), { subject: "Keep" }, to);
    await using visited = await visit(setup(), { path: `/servers/${server}?q=subject:load`, reducedMotion: "reduce" });
    const { page } = visited;
    await addAxe(page);
    await page.getByRole("checkbox", { name: "Select all loaded messages" }).check();
    await page.getByRole("button", { name: /^Select all .*results$/ }).click();
    await page.getByText("105 selected").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Permanently deletes 105 messages and their attachments.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("105 messages deleted").waitFor();
    await expect.poll(async () => messageIds(setup(), server)).toHaveLength(1);
  });
}
