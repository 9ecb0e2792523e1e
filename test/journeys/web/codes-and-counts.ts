import { beforeAll, expect, test } from "vitest";
import { addAxe, violations } from "./page-state.ts";
import { empty, request, rowsOf, send, visit, type Setup } from "./setup.ts";

const server = "shop1234";
const to = `reader@${server}.restante.example.com`;
/** Messages with codes: more than a page of the list has. */
const codeCount = 130;

/** Journeys through messages with one-time codes, and the number of messages that a filter leaves. */
export function describeCodesAndCounts(setup: () => Setup): void {
  beforeAll(async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "In groups", html: "<p>Your code:</p><p><b>804</b> <b>219</b></p>" }, to);
    for (let at = 1; at < codeCount; at += 1) {
      await create(setup(), { subject: `Sign in ${at}`, text: `Your code is ${270_100 + at}` });
    }
    await create(setup(), { subject: "Offer", text: "Only 1999 EUR until 2026-12-24" });
  });

  test("filters messages with codes, and tells their exact number as mail arrives", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}`, reducedMotion: "reduce" });
    const { page, consoleErrors } = visited;
    await page.getByText(`${codeCount + 1} messages`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Code", exact: true }).click();
    await page.waitForURL("**?q=has%3Acode");
    await page.getByText(`${codeCount} messages`, { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Code", exact: true }).getAttribute("aria-pressed")).toBe("true");
    expect(await rowsOf(page).getByText("Offer").count()).toBe(0);
    await addAxe(page);
    expect(await violations(page)).toEqual([]);

    await send(setup(), { subject: "No code", text: "Hello" }, to);
    await send(setup(), { subject: "Newest code", text: "Your code is 635 118" }, to);
    await page.getByText(`${codeCount + 1} messages`, { exact: true }).waitFor();
    await rowsOf(page).getByText("Newest code").waitFor();
    expect(await rowsOf(page).getByText("No code", { exact: true }).count()).toBe(0);

    await page.getByRole("checkbox", { name: "Select all loaded messages" }).click();
    await page.getByRole("button", { name: `Select all ${codeCount + 1} results` }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Unread" }).click();
    await page.getByText(`${codeCount + 1} messages`, { exact: true }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  test("finds a code that the message writes in groups, and marks it, on a phone in dark mode too", async () => {
    for (const [width, colorScheme] of [
      [1440, "light"],
      [390, "dark"],
    ] as const) {
      const viewport = { width, height: 800 };
      await using visited = await visit(setup(), { path: `/servers/${server}`, viewport, colorScheme });
      const { page } = visited;
      await rowsOf(page).first().waitFor();
      await page.getByRole("combobox", { name: "Search messages" }).fill("804219");
      await page.waitForURL("**?q=804219");
      await expect.poll(async () => rowsOf(page).count()).toBe(1);
      await rowsOf(page).getByRole("button", { name: "Copy code 804219" }).waitFor();
      await expect
        .poll(async () =>
          page.evaluate<readonly string[]>(
            `[...(CSS.highlights.get("search-match") ?? [])].map((range) => range.toString())`,
          ),
        )
        .toEqual(["804219"]);
    }
  });
}

async function create(setup: Setup, message: { readonly subject: string; readonly text: string }): Promise<void> {
  await request(setup, `POST /api/messages?server=${server}`, message);
}
