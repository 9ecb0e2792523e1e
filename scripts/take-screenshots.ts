/** Takes the screenshots of docs/guide/web-ui.md from the sources; arguments select screenshots by name. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { request, rowsOf, selectTab, visit, type VisitOptions } from "../test/journeys/web/setup.ts";
import { buildWeb } from "./build-web.ts";
import { server, setStage } from "./screenshot-stage.ts";

const folder = join(import.meta.dirname, "..", "docs", "guide", "images");
const names: ReadonlySet<string> = new Set(process.argv.slice(2));
const desk = { width: 1180, height: 720 };
const phone = { width: 360, height: 740 };
const home = `/servers/${server}`;

await buildWeb();
mkdirSync(folder, { recursive: true });
const stage = await setStage();
try {
  await takeAll();
} finally {
  await stage.close();
}

async function takeAll(): Promise<void> {
  await take("sign-in", {}, async (page) => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
  });
  await take("servers", {}, async (page) => page.getByRole("link", { name: "Checkout staging" }).waitFor());
  await take("first-mail", { path: "/servers/accounts" }, textShown("Waiting for the first message"));
  await take("messages", { path: home }, codesShown);
  await take("search", { path: `${home}?subject=code&body=code&match=any` }, codesShown);
  await takeMessage();
  await take("message-previews", { path: home, viewport: { width: 1400, height: 940 } }, showPreviews);
  await take("conversation", { path: `${home}?subject=confirmation` }, async (page) => {
    await openRow(page, "Re: Where is my confirmation?");
    await page.getByRole("button", { name: "Conversation" }).click();
    await page.getByText("The Harbour team").first().waitFor();
  });
  await takeTranslations();
  await take("texts", { path: `${home}?to=%2B15550100` }, openTexts);
  await take("compose", { path: `${home}/compose`, viewport: { width: 1180, height: 960 } }, fillMail);
  await take("bounce", { path: home }, openBounce);
  await take("activity", { path: `${home}/activity` }, textShown("Top senders"));
  await take("settings-dark", { path: `${home}/settings`, colorScheme: "dark" }, textShown("Automatic clean-up"));
  await take("keys", { path: "/keys" }, textShown("Checkout CI"));
  await take("addresses", { path: "/addresses" }, textShown("legal@harbour.example"));
  await take("numbers", { path: "/numbers" }, textShown("+15550101"));
  await take("phrases", { path: "/phrases" }, textShown("CONFIRM"));
  await take("devices", { path: "/devices" }, textShown("valid for"));
  await take("usage", { path: "/usage" }, textShown("Messages per day"));
  await take("phone-menu", { path: home, viewport: phone }, async (page) => {
    await codesShown(page);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Devices" }).waitFor();
  });
  await take("phone", { path: home, viewport: phone }, codesShown);
  await take("phone-message", { path: home, viewport: phone }, openReset);
  await take("phone-texts", { path: `${home}?to=%2B15550100`, viewport: phone }, openTexts);
}

async function takeMessage(): Promise<void> {
  await take("message", { path: home }, openReset);
  await take("message-dark", { path: home, colorScheme: "dark" }, openReset);
  for (const [tab, view] of [
    ["Source", undefined],
    ["Source", "Structure"],
    ["Attachments", undefined],
    ["Links", undefined],
    ["Checks", undefined],
    ["More", "Delivery"],
    ["More", "Test"],
  ] as const) {
    await take(`message-${(view ?? tab).toLowerCase()}`, { path: home }, async (page) => {
      await openRow(page, "Your invoice");
      await selectTab(page, tab, view);
      await page.getByRole("tabpanel", { name: tab }).waitFor();
      if (tab === "Attachments") await showPdf(page);
      await page.getByText("Loading…").waitFor({ state: "detached", timeout: 30_000 });
    });
  }
}

async function takeTranslations(): Promise<void> {
  const line = `GET /api/messages?server=${server}&q=recipient:shipping-&itemsPerPage=10`;
  const mails = await request<readonly { readonly id: string }[]>(stage, line);
  const query = mails.toReversed().map(({ id }) => `mail=${id}`);
  const path = `${home}/translations?${query.join("&")}`;
  const viewport = { width: 1180, height: 1020 };
  await take("translations", { path, viewport }, async (page) => page.getByText("original", { exact: true }).waitFor());
}

async function showPdf(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("img", { name: "page 1 of 1" }).waitFor({ timeout: 30_000 });
}

async function showPreviews(page: Page): Promise<void> {
  await openReset(page);
  await page.getByRole("tab", { name: "Previews" }).click();
  await page
    .getByRole("button", { name: /^Enlarge/ })
    .nth(6)
    .waitFor({ timeout: 60_000 });
}

async function take(name: string, options: VisitOptions, prepare: (page: Page) => Promise<void>): Promise<void> {
  if (names.size > 0 && !names.has(name)) return;
  await using visited = await visit(stage, { viewport: desk, ...options });
  const { page } = visited;
  await prepare(page);
  await page.mouse.move(0, 0);
  await page.evaluate("document.fonts.ready");
  // The event stream keeps the network busy, so `networkidle` never occurs.
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

function textShown(text: string): (page: Page) => Promise<void> {
  return async (page) => page.getByText(text, { exact: false }).first().waitFor();
}

async function codesShown(page: Page): Promise<void> {
  await rowsOf(page)
    .getByRole("button", { name: /^Copy code/ })
    .first()
    .waitFor();
}

async function openRow(page: Page, text: string): Promise<void> {
  await rowsOf(page).filter({ hasText: text }).first().getByRole("link").click();
}

async function openReset(page: Page): Promise<void> {
  await codesShown(page);
  await openRow(page, "Reset your password");
  await page.frameLocator("iframe").getByRole("link", { name: "Continue" }).waitFor();
}

async function openTexts(page: Page): Promise<void> {
  await openRow(page, "See you at 19:30");
  await page.getByRole("button", { name: "Send YES" }).waitFor();
}

async function fillMail(page: Page): Promise<void> {
  await page.getByLabel("From", { exact: true }).fill("orders");
  await page.getByLabel("To", { exact: true }).fill("mara@harbour.example");
  await page.getByLabel("Subject").fill("Your voucher");
  await page
    .getByLabel("Text", { exact: true })
    .fill("Dear Mara,\n\nThank you for waiting. Use code 55-41-88 for 10% off your next order.\n");
  const files = [{ name: "voucher.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(48_200) }];
  await page.locator("input[type=file]").setInputFiles(files);
  await page.getByLabel("Subject").focus();
}

async function openBounce(page: Page): Promise<void> {
  await openReset(page);
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("menuitem", { name: "Bounce…" }).click();
  await page.getByLabel("Reason").selectOption("5.2.2");
}
