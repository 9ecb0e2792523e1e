import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { accountViews, messageTabs as tabs, serverViews } from "../../../web/navigation/routes.ts";
import { everyReportMail } from "../../../src/testing/mail-reports.test-aid.ts";
import { markupViolations } from "./markup-rules.ts";
import { addAxe, cutOff, switchTheme, violations } from "./page-state.ts";
import { lowContrasts } from "./text-contrast.ts";
import { request, empty, messageIds, newContext, send, elementWaitMsMax, visit, type Setup } from "./setup.ts";

const server = "shop1234";
const empties = "auth5678";
/** Colours within a transition may have too little contrast. */
const reducedMotion = "reduce";

/** Journeys that check the accessibility of every page, in light and dark, at several widths. */
export function describeAccessibility(setup: () => Setup): void {
  let message: string;
  let text: string;
  let report: string;
  let people: readonly [user: string, team: string];
  beforeAll(async () => {
    await empty(setup(), server);
    await empty(setup(), empties);
    await send(setup(), everyReportMail, `dmarc@${server}.restante.example.com`);
    const mail = {
      subject: "Your code",
      text: "Your code is 482913. https://shop.example/a",
      html: `<p>Your code is 482913</p><img src="https://cdn.example/a.png"><a href="https://shop.example/a">go</a>`,
      attachments: [{ filename: "a.csv", content: "a,b" }],
      references: "<root@shop.example>",
    };
    // The scan of the links is part of the message.
    await request(setup(), `PUT /api/servers/${server}/scanner`, { profile: "barracuda" });
    for (const name of ["one", "two", "three"]) await send(setup(), mail, `${name}@${server}.restante.example.com`);
    const numbers = [{ number: "+15550144", webhook: "http://127.0.0.1:9/", secret: "s" }, { number: "+15550145" }];
    for (const number of numbers) await request(setup(), "POST /api/phone-numbers", { ...number, server });
    await request(setup(), "POST /api/sms", { from: "+15550199", to: "+15550144", text: "Your code is 804219" });
    await request(setup(), "POST /api/devices", { name: "Phone", sharedSecret: "JBSWY3DPEHPK3PXP" });
    const rules = [{ q: "subject:code", tags: ["code"] }];
    await request(setup(), `PUT /api/servers/${server}/tag-rules`, { plusAddresses: true, rules });
    people = await addPeople(setup());
    [text = "", message = "", , , report = ""] = await messageIds(setup(), server);
  });

  const views = (): readonly string[] => [
    "/",
    ...accountViews.map((view) => `/${view}`),
    `/users/${people[0]}`,
    `/teams/${people[1]}`,
    `/servers/${empties}`,
    `/servers/${server}`,
    `/servers/${server}?subject=code&body=code&match=any&after=2026-01-01T00:00:00Z`,
    `/servers/${server}?subject=nothing-has-this`,
    ...serverViews.map((view) => `/servers/${server}/${view}`),
    ...tabs.map((tab) => `/servers/${server}/messages/${message}/${tab}`),
    `/servers/${server}/messages/${text}`,
    `/servers/${server}/messages/${report}/report`,
  ];

  test("has no axe-core violations and nothing cut off on any page, at every width, in light and dark mode", async () => {
    await using visited = await visit(setup(), { reducedMotion });
    const { page, consoleErrors } = visited;
    await addAxe(page);
    const found: string[] = [];
    for (const view of views()) {
      await showView(page, view);
      found.push(...(await faultsAtEveryWidth(page, view)));
    }
    expect(found).toEqual([]);
    expect(consoleErrors.filter((text) => !/cdn\.example|\/screenshots$/.test(text))).toEqual([]);
  });

  test("has no axe-core violations and nothing cut off in any dialog or menu, at every width, in light and dark mode", async () => {
    await using visited = await visit(setup(), { reducedMotion });
    const { page } = visited;
    await addAxe(page);
    const found: string[] = [];
    for (const { view, press } of dialogs(server, message)) {
      await showView(page, view);
      for (const name of press) await pressed(page, name);
      await page.getByRole(press.at(-1) === "Actions" ? "menu" : "dialog").waitFor();
      // A menu closes while the dialog of its item opens.
      await expect.poll(() => openCount(page)).toBe(1);
      // The pages themselves are checked as whole documents above.
      found.push(...(await faultsAtEveryWidth(page, press.join(", "), openedOnes)));
      await page.keyboard.press("Escape");
      await expect.poll(() => openCount(page)).toBe(0);
    }
    expect(found).toEqual([]);
  });

  test("disables animations when the system prefers reduced motion", async () => {
    const context = await newContext(setup(), { reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(setup().service.url);
    await page.getByLabel("API key").waitFor();
    const moving = `[...document.querySelectorAll("*")].flatMap((element) => ["", "::before", "::after"].map((part) => {
      const { animationDuration, transitionDuration } = getComputedStyle(element, part);
      return Math.max(...(animationDuration + "," + transitionDuration).split(",").map(parseFloat));
    })).filter((seconds) => seconds > 0.01).length`;
    expect(await page.evaluate(moving)).toBe(0);
    await context.close();
  });

  test("has no axe-core violations on the sign-in page", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await newContext(setup(), { colorScheme });
      const page = await context.newPage();
      await page.goto(setup().service.url);
      await page.getByLabel("API key").waitFor();
      await addAxe(page);
      expect(await violations(page)).toEqual([]);
      await context.close();
    }
  });
}

/** Adds a user and its team, which owns the server. */
async function addPeople(setup: Setup): Promise<readonly [user: string, team: string]> {
  const add = async (path: string, body: object): Promise<string> =>
    (await request<{ id: string }>(setup, `POST ${path}`, body)).id;
  const user = await add("/api/users", { email: "ann@corp.example", name: "Ann" });
  const team = await add("/api/teams", { name: "Payments", externalId: "payments" });
  await add("/api/teams", { name: "Shop" });
  await request(setup, `PUT /api/teams/${team}/members/${user}`, { role: "tester" });
  await request(setup, `PUT /api/servers/${server}`, { team });
  return [user, team];
}

/** Returns what axe-core finds in a page or an element of it, and what is cut off, at every width. */
async function faultsAtEveryWidth(page: Page, name: string, within?: string): Promise<readonly string[]> {
  const found: string[] = [];
  const inspectAt = async (width: number, inspect: () => Promise<readonly string[]>): Promise<void> => {
    await page.setViewportSize({ width, height: 740 });
    await page.evaluate("new Promise(requestAnimationFrame)");
    found.push(...(await inspect()).map((fault) => `${name} at ${width} px: ${fault}`));
  };
  const inspectMarkup = async (): Promise<readonly string[]> => [
    ...(await markupViolations(page, within)),
    ...(await lowContrasts(page, within)),
    ...(await cutOff(page)),
  ];
  for (const width of [3840, 1440, 820, 390]) await inspectAt(width, inspectMarkup);
  // A page is drawn again for another theme at twice the cost of another width.
  const theme = await switchTheme(page);
  for (const width of [390, 820, 1440, 3840])
    await inspectAt(width, async () => (await lowContrasts(page, within)).map((text) => `${theme}: ${text}`));
  return found;
}

/** Dialogs and menus, and the buttons that open them. */
function dialogs(
  of: string,
  message: string,
): readonly { readonly view: string; readonly press: readonly (string | RegExp)[] }[] {
  const mail = `/servers/${of}/messages/${message}/text`;
  return [
    { view: "/", press: ["New server"] },
    { view: "/keys", press: ["New key"] },
    { view: "/keys", press: ["Rotate"] },
    { view: "/numbers", press: ["New number"] },
    { view: "/numbers", press: ["Edit"] },
    { view: "/numbers", press: ["Receive an SMS"] },
    { view: "/numbers", press: [/^Remove/] },
    { view: "/devices", press: ["New device"] },
    { view: "/devices", press: ["Delete"] },
    { view: `/servers/${of}/connect`, press: ["Reset"] },
    { view: `/servers/${of}/settings`, press: ["Delete all messages"] },
    { view: `/servers/${of}/settings`, press: ["Delete server"] },
    { view: mail, press: ["Reply"] },
    { view: mail, press: ["Forward"] },
    { view: mail, press: ["Actions"] },
    ...["Release…", "Bounce…", "Complaint…", "Auto-reply…"].map((name) => ({ view: mail, press: ["Actions", name] })),
  ];
}

/** Selector of dialogs and menus. */
const openedOnes = "[role=dialog], [role=menu]";

/** Returns the number of dialogs and menus. */
async function openCount(page: Page): Promise<number> {
  return page.locator(openedOnes).count();
}

async function pressed(page: Page, name: string | RegExp): Promise<void> {
  const exact = typeof name === "string" ? { name, exact: true } : { name };
  await page.getByRole("button", exact).or(page.getByRole("menuitem", exact)).first().click();
}

/** Navigates to a view without a page load and waits until it is shown. */
export async function showView(page: Page, view: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(view)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
  const isThere = `document.querySelector("[aria-busy=true]") === null && document.querySelector("h1") !== null &&
    !document.body.innerText.includes("Loading…")`;
  await expect.poll(() => page.evaluate(isThere), { timeout: elementWaitMsMax }).toBe(true);
}
