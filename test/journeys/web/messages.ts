import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { LocalService } from "../../../src/testing/local-service.ts";
import { japanesePdf, pdfWith } from "./bombs.ts";
import {
  rowsOf,
  clipboardOf,
  request,
  empty,
  messageIds,
  newContext,
  selectTab,
  send,
  visit,
  type Setup,
} from "./setup.ts";
import { waitForDialog } from "./walk.ts";

const code = "804219";
const welcome = {
  subject: "Welcome to the shop",
  text: `Your code is ${code}.`,
  html: `<h1>Welcome</h1><p>Your code is <b>${code}</b></p><a href="https://shop.example/confirm">Confirm</a>`,
};

/** Gives ten minutes to undo, where a user has five seconds: the machine may be busy. */
const tenMinutesForFiveSeconds = `{
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...values) => setTimeout(run, ms === 5000 ? 600000 : ms, ...values);
}`;

/** Journeys through the daily work of a tester. */
export function describeMessages(setup: () => Setup): void {
  const [server, other] = ["shop1234", "auth5678"] as const;
  const to = (name: string): string => `${name}@${server}.restante.example.com`;

  test("shows how to send the first email to an empty server, then the email", async () => {
    await empty(setup(), server);
    await using visited = await visit(setup());
    const { page, consoleErrors } = visited;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "Server 1" }).click();
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    const { service } = setup();
    await page.getByText(`curl smtp://127.0.0.1:${service.smtp.port}`).waitFor();
    // Everything is in sight, with the longest settings too.
    await page.getByLabel("Framework").selectOption("WordPress");
    await page.getByText("wp-content").first().waitFor();
    const labels = await page.locator("main dt").allInnerTexts();
    expect(labels.slice(0, 4)).toEqual(["SMTP host", "SMTP port", "User name (optional)", "Password (optional)"]);
    const hidden =
      "(() => { const { scrollHeight, clientHeight } = document.querySelector('main'); return scrollHeight - clientHeight; })()";
    await expect.poll(async () => page.evaluate<number>(hidden)).toBe(0);
    await page.locator("[role=status][data-state=live]").waitFor();
    await send(setup(), welcome, to("first"));
    await page
      .getByRole("link", { name: `Unread, from app@example.com to ${to("first")}: Welcome to the shop` })
      .waitFor();
    await page.getByRole("button", { name: `Copy code ${code}` }).click();
    expect(await clipboardOf(page)).toBe(code);
    expect(page.url()).toBe(`${service.url}/servers/${server}`);
    expect(consoleErrors).toEqual([]);
  });

  test("shows settings of every framework with the values of the server", async () => {
    await using visited = await visit(setup(), { path: `/servers/${server}/connect` });
    const { page } = visited;
    const { service } = setup();
    const code = async (choice: string, name: string): Promise<string> => {
      const select = page.getByRole("combobox", { name: choice, exact: true });
      const section = page.locator("section").filter({ has: select });
      await select.selectOption(name);
      return section.locator("pre").innerText();
    };
    for (const stack of ["nodemailer", "Rails", "Django", "Laravel", "Spring"]) {
      const text = await code("Framework", stack);
      expect(text).toContain(String(service.smtp.port));
      expect(text).toContain(server);
    }
    for (const runner of ["Playwright", "Cypress", "pytest"]) {
      const text = await code("Test framework", runner);
      expect(text).toContain(`${service.url}/`);
      expect(text).toContain(`"${server}"`);
    }
  });

  test("shows every tab of a message at its own address", async () => {
    await empty(setup(), server);
    const attachments = [
      { filename: "terms.txt", content: "Be kind." },
      { filename: "terms.pdf", content: pdfWith("Be kind") },
    ];
    await send(setup(), { ...welcome, attachments }, to("reader"));
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}` });
    const { page, consoleErrors } = visited;
    await page.frameLocator("iframe").getByRole("heading", { name: "Welcome" }).waitFor();
    for (const [tab, view, text] of [
      ["Mail", "Text", "Your code is 804219."],
      ["Source", undefined, "Subject: Welcome to the shop"],
      ["Source", "Headers", "Welcome to the shop"],
      ["Source", "Structure", "multipart/mixed"],
      ["Attachments", undefined, "terms.txt"],
      ["Links", undefined, "https://shop.example/confirm"],
      ["Checks", undefined, "DMARC"],
      ["More", "Delivery", "app@example.com"],
      ["More", "Test", `sentTo: "${to("reader")}"`],
    ] as const) {
      await selectTab(page, tab, view);
      await page.getByRole("tabpanel", { name: tab }).getByText(text).first().waitFor();
      const address = `${setup().service.url}/servers/${server}/messages/${id}/${(view ?? tab).toLowerCase()}`;
      expect(page.url()).toBe(address);
    }
    await page.reload();
    await page.getByRole("button", { name: "Test", pressed: true }).waitFor();
    // The criteria of the test find this message.
    const criteria = await page
      .getByText(/sentTo: "[^"]+", subject: "[^"]+"/)
      .first()
      .innerText();
    const [, sentTo, subject] = /sentTo: ("[^"]+"), subject: ("[^"]+")/.exec(criteria) ?? [];
    const body: unknown = JSON.parse(`{"sentTo":${sentTo ?? ""},"subject":${subject ?? ""}}`);
    const found = await request<readonly { readonly id: string }[]>(
      setup(),
      `POST /api/messages/search?server=${server}`,
      body,
    );
    expect(found.map((one) => one.id)).toEqual([id]);
    await page.getByRole("tab", { name: "Source" }).click();
    await page.getByRole("button", { name: "HTML", exact: true }).click();
    await page.getByLabel("HTML source").getByText("Confirm").waitFor();
    await page.getByRole("tab", { name: "Attachments" }).click();
    await page.getByRole("listitem").filter({ hasText: "terms.pdf" }).getByRole("button", { name: "Show" }).click();
    await page.getByRole("img", { name: "terms.pdf, page 1 of 2" }).waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByRole("img", { name: "terms.pdf, page 2 of 2" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download all (ZIP)" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`attachments-${id}.zip`);
    expect(consoleErrors).toEqual([]);
  });

  test("shows a PDF with a Japanese font that is not embedded, with a character map of this origin", async () => {
    const attachments = [{ filename: "kanji.pdf", content: japanesePdf() }];
    await send(setup(), { ...welcome, attachments }, to("reader"));
    const [id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}/attachments` });
    const { page, consoleErrors } = visited;
    const loaded: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/cmaps/")) loaded.push(`${response.status()} ${response.url()}`);
    });
    await page.getByRole("button", { name: "Show" }).click();
    const picture = page.getByRole("img", { name: "kanji.pdf, page 1 of 1" });
    await picture.waitFor();
    const darkPixels = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at] < 100) count += 1;
      return count;
    })()`);
    expect(darkPixels).toBeGreaterThan(100);
    expect(loaded).toContainEqual(expect.stringMatching(/^200 .*\/cmaps\/90ms-RKSJ-H\.bcmap$/));
    expect(loaded.filter((one) => !one.startsWith(`200 ${setup().service.url}/assets/pdf.js-`))).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  test("searches names, addresses, subjects, texts and file names, with a link to each search", async () => {
    await empty(setup(), server);
    await send(setup(), { subject: "Invoice", text: "Thank you" }, to("anna"));
    const erika = { name: "Erika Sender", address: "erika@sender.example" };
    await send(setup(), { from: erika, subject: "Reminder", text: "Your invoice is due" }, to("ben"));
    const attachments = [{ filename: "terms-of-use.pdf", content: "x" }];
    await send(setup(), { subject: "Hello", text: "Nothing", attachments }, to("carl"));
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    const rows = rowsOf(page);
    await expect.poll(() => rows.count()).toBe(3);
    // The list follows while one types; an operator becomes a chip, and a second term narrows.
    await page.keyboard.press("/");
    await page.keyboard.type("invoice");
    await expect.poll(() => rows.count()).toBe(2);
    await page.waitForURL("**?q=invoice");
    await page.keyboard.type(" recipient:anna ");
    await page.getByRole("link", { name: `${to("anna")}: Invoice` }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    const search = page.getByRole("combobox", { name: "Search messages" });
    expect(await search.inputValue()).toBe("invoice ");
    await page.waitForURL("**?q=recipient%3Aanna+invoice");
    await page.getByRole("button", { name: "Remove recipient:anna" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    // What was typed in one go is one step back.
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(1);
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(3);
    expect(await search.inputValue()).toBe("");
    for (const [text, found] of [
      ["Erika", "Reminder"],
      ["arl@", "Hello"],
      ["terms-of-use", "Hello"],
      ["erika@sender.example", "Reminder"],
    ] as const) {
      await search.fill(text);
      await rows.getByText(found).waitFor();
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole("button", { name: "Clear search" }).click();
      await expect.poll(() => rows.count()).toBe(3);
    }
    // A suggested value is taken from the list.
    await search.fill("recipient:car");
    await page.getByRole("option", { name: to("carl") }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Remove recipient:${to("carl")}` }).waitFor();
    await page.getByRole("link", { name: `${to("carl")}: Hello` }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await page.waitForURL(`**?q=recipient%3A${encodeURIComponent(to("carl"))}`);
    // An empty result offers what would match.
    await page.goto(`${setup().service.url}/servers/${server}?q=recipient%3Aerika`);
    await page.getByRole("button", { name: "1 for from:erika" }).click();
    await rows.getByText("Reminder").waitFor();
  });

  test("deletes several messages and undoes the deletion", async () => {
    await empty(setup(), server);
    for (const name of ["one", "two", "three"]) await send(setup(), { subject: name, text: name }, to(name));
    await using visited = await visit(setup(), { path: `/servers/${server}`, script: tenMinutesForFiveSeconds });
    const { page } = visited;
    const rows = rowsOf(page);
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("checkbox", { name: "Select three" }).check();
    await page.getByRole("checkbox", { name: "Select one" }).check();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(await messageIds(setup(), server)).toHaveLength(3);
    await page.getByRole("checkbox", { name: "Select two" }).check();
    await page.keyboard.press("Delete");
    await expect.poll(() => rows.count()).toBe(2);
    await page.goto("about:blank");
    await expect.poll(async () => (await messageIds(setup(), server)).length).toBe(2);
  });

  test("deletes all messages of the list, after asking, and keeps those that the list does not have", async () => {
    await empty(setup(), server);
    for (const name of ["one", "two", "kept"]) await send(setup(), { subject: name, text: name }, to(name));
    await using visited = await visit(setup(), { path: `/servers/${server}?q=-subject%3Akept` });
    const { page } = visited;
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole("button", { name: "Delete all listed messages" }).click();
    const dialog = await waitForDialog(page, "Delete 2 messages?");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect.poll(async () => (await messageIds(setup(), server)).length).toBe(1);
    await page.getByRole("button", { name: "Clear search" }).click();
    await rowsOf(page).getByText("kept").first().waitFor();
  });

  test("has the controls of a message at the bottom of a phone", async () => {
    await empty(setup(), server);
    await send(setup(), welcome, to("phone"));
    const [id = ""] = await messageIds(setup(), server);
    const viewport = { width: 390, height: 844 };
    await using visited = await visit(setup(), { path: `/servers/${server}/messages/${id}`, viewport });
    const bar = await visited.page.getByRole("button", { name: "Reply", exact: true }).boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeGreaterThan(viewport.height - 60);
  });

  test("supports keyboard-only use", async () => {
    await empty(setup(), server);
    for (const name of ["old", "new"]) await send(setup(), { ...welcome, subject: name }, to(name));
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await expect
      .poll(() =>
        rowsOf(page)
          .getByRole("button", { name: /^Copy code/ })
          .count(),
      )
      .toBe(2);
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await page.getByText(`Copied: ${code}`).waitFor();
    expect(await clipboardOf(page)).toBe(code);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "new" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "old" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "new" }).waitFor();
    await page.keyboard.press("#");
    await page.getByRole("heading", { name: "old" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.keyboard.press("?");
    await waitForDialog(page, "Keyboard shortcuts");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  test("keeps the scroll position when messages arrive above", async () => {
    await empty(setup(), server);
    for (let count = 0; count < 40; count += 1)
      await send(setup(), { subject: `Mail ${count}`, text: "x" }, to("many"));
    await using visited = await visit(setup(), { path: `/servers/${server}`, viewport: { width: 1280, height: 500 } });
    const { page } = visited;
    await page.locator("[role=status][data-state=live]").waitFor();
    await page.evaluate(`document.querySelector('[role=region][aria-label=Messages]').scrollTop = 380`);
    const row = rowsOf(page).filter({ hasText: "Mail 25" });
    const before = await settledTop(row);
    await send(setup(), { subject: "Late", text: "x" }, to("late"));
    await page.getByRole("button", { name: "1 new message" }).waitFor();
    expect((await row.boundingBox())?.y).toBe(before);
    await page.getByRole("button", { name: "1 new message" }).click();
    await page.getByRole("link", { name: `Unread, from app@example.com to ${to("late")}: Late` }).waitFor();
  });

  test("replies to a verified sender, and shows why another reply is rejected", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    const dataDir = join(folder, "data");
    const environment = { RESTANTE_RELAY_URL: `smtp://127.0.0.1:${setup().service.smtp.port}` };
    await using service = await LocalService.start([`--data-dir=${dataDir}`], environment);
    const key = service.shown("API key");
    const smtp = { ...setup().service.smtp, port: service.smtpPort };
    const question = { subject: "Question", text: "Is it?" };
    await send(
      { service: { ...setup().service, smtp } },
      question,
      `anyone@${service.shown("Server")}.restante.example.com`,
    );
    const context = await newContext(setup());
    const page = await context.newPage();
    await page.goto(service.shown("Web UI"));
    await page.getByRole("link", { name: "Question" }).click();
    await page.getByRole("button", { name: "Reply" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("An answer");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("alert").waitFor();

    const { operatorToken } = JSON.parse(readFileSync(join(dataDir, "service.json"), "utf8")) as {
      operatorToken: string;
    };
    const body = JSON.stringify({ address: "app@example.com", operatorToken });
    expect((await service.fetch("/api/verified-addresses", key, { method: "POST", body })).ok).toBe(true);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("group").getByText("Sent", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Forward" }).click();
    await page.getByRole("textbox", { name: "To" }).fill("app@example.com");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(async () => sentSubjects(service, key)).toEqual(["Fwd: Question", "Re: Question"]);
    await context.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("creates, renames and deletes a server", async () => {
    await using visited = await visit(setup());
    const { page } = visited;
    await page.getByRole("button", { name: "New server" }).click();
    await page.getByLabel("Name").fill("Brand new");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Send your first email" }).waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Name").fill("Renamed");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("for CI");
    await page.keyboard.press("Enter");
    await page.getByText("Copy the key now.").waitFor();
    await page.getByRole("button", { name: "Copy and close" }).click();
    await page.getByRole("cell", { name: "for CI" }).waitFor();
    await page.getByRole("button", { name: "Delete server" }).click();
    await page.getByLabel("Type Renamed to confirm").fill("Renamed");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Servers" }).waitFor();
    await expect.poll(() => page.getByText("Renamed").count()).toBe(0);
  });

  test("does not show messages of another server", async () => {
    await empty(setup(), other);
    await using visited = await visit(setup(), { path: `/servers/${other}` });
    const { page } = visited;
    await page.locator("[role=status][data-state=live]").waitFor();
    await send(setup(), { subject: "Elsewhere", text: "x" }, to("elsewhere"));
    await send(setup(), { subject: "Here", text: "x" }, `here@${other}.restante.example.com`);
    await page.getByText("Here", { exact: true }).waitFor();
    expect(await rowsOf(page).count()).toBe(1);
  });
}

/** Returns the vertical position of a row when the list, which measures its rows after rendering them, has its final layout. */
async function settledTop(row: Locator): Promise<number> {
  let top = Number.NaN;
  await expect
    .poll(async () => {
      const previous = top;
      top = (await row.boundingBox())?.y ?? Number.NaN;
      return top - previous;
    })
    .toBe(0);
  return top;
}

async function sentSubjects(service: LocalService, key: string): Promise<readonly string[]> {
  const response = await service.fetch(`/api/messages?server=${service.shown("Server")}&dir=Sent`, key);
  return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject);
}
