import type { Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { keyScopes } from "../../../src/core/api-key.ts";
import { accountViews, messageTabs, routePath, serverViews, type Route } from "../../../web/navigation/routes.ts";
import { showView } from "./accessibility.ts";
import { empty, messageIds, newContext, request, send, visit, type Setup } from "./setup.ts";

const server = "shop1234";
const scopes = keyScopes.filter((scope) => scope !== "send" && scope !== "scim");

/** Key with which pages are visited, and what is pressed there. */
interface Walk {
  readonly name: string;
  /** Fields of the key. */
  readonly key: (people: People) => object;
  readonly visits: "account" | "server";
  /** Whether the controls of a page are pressed: what a full key may do would change what the pages after it show. */
  readonly presses: (route: Route) => boolean;
}

/** Team and users of the walks. */
interface People {
  readonly team: string;
  /** Reads the server of the walks, and manages a team with another one. */
  readonly viewer: string;
  readonly tester: string;
}

const walks: readonly Walk[] = [
  ...scopes.flatMap((scope): readonly Walk[] => [
    { name: `a ${scope} key`, key: () => ({ scope }), visits: "account", presses: () => scope === "read" },
    // A viewer presses the same controls.
    { name: `a ${scope} key of a server`, key: () => ({ scope, server }), visits: "server", presses: () => false },
  ]),
  {
    name: "a manager of another team",
    key: ({ viewer }) => ({ user: viewer }),
    visits: "account",
    presses: () => false,
  },
  { name: "a viewer", key: ({ viewer }) => ({ user: viewer }), visits: "server", presses: () => true },
  {
    name: "a tester",
    key: ({ tester }) => ({ user: tester }),
    visits: "server",
    // These have controls for managers only.
    presses: ({ kind }) => kind === "connect" || kind === "settings",
  },
];
/** Shortcuts of messages that do something with them. */
const shortcuts = ["r", "f", "u", "s", "x", "n", "Delete", "#"];

/** Pages of the account; those of a server are the same for keys of the account and of the server. */
function accountRoutes({ team, tester }: People): readonly Route[] {
  return [
    { kind: "servers" },
    { kind: "search" },
    ...accountViews.map((kind) => ({ kind })),
    { kind: "users", id: tester },
    { kind: "teams", id: team },
  ];
}

/** Pages of a server, with every tab of a message. */
function serverRoutes(message: string): readonly Route[] {
  return [
    ...serverViews.map((kind) => ({ kind, server })),
    ...[null, ...messageTabs].map((tab) => ({ kind: "mail", server, message, tab }) as const),
    { kind: "mail", server, message: null, tab: null },
  ];
}

/** Adds two teams with a server each, and their users. */
async function addPeople(setup: Setup): Promise<People> {
  const [, otherServer] = setup.servers;
  const add = async (path: string, body: object): Promise<string> =>
    (await request<{ id: string }>(setup, `POST ${path}`, body)).id;
  const [team, other] = [await add("/api/teams", { name: "Shop" }), await add("/api/teams", { name: "Auth" })];
  await request(setup, `PUT /api/servers/${server}`, { team });
  await request(setup, `PUT /api/servers/${otherServer}`, { team: other });
  const [viewer, tester] = [
    await add("/api/users", { email: "viewer@corp.example", name: "Vi" }),
    await add("/api/users", { email: "tester@corp.example" }),
  ];
  await request(setup, `PUT /api/teams/${team}/members/${viewer}`, { role: "viewer" });
  await request(setup, `PUT /api/teams/${other}/members/${viewer}`, { role: "manager" });
  await request(setup, `PUT /api/teams/${team}/members/${tester}`, { role: "tester" });
  return { team, viewer, tester };
}

/** Journeys with each kind of key. */
export function describePermissions(setup: () => Setup): void {
  let people: People;
  beforeAll(async () => {
    await empty(setup(), server);
    const to = `reader@${server}.restante.example.com`;
    const headers = {
      "List-Unsubscribe": "<https://example.com/u>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    const html = "<p>Your code is 482913. <a href='https://example.com'>Confirm</a>";
    await send(setup(), { subject: "First", html, headers, attachments: [{ filename: "a.txt", content: "a" }] }, to);
    await send(setup(), { subject: "Second", text: "two" }, to);
    await request(setup(), `PUT /api/servers/${server}/searches/Due`, { q: "body:due" });
    const rule = {
      name: "unknown",
      match: { stage: "rcpt" },
      then: { reply: { code: 550, text: "No" } },
      when: { first: 1 },
    };
    await request(setup(), `PUT /api/servers/${server}/faults`, [rule]);
    people = await addPeople(setup());
  });

  test.each(walks)("offers $name nothing that it may not do on the pages of the $visits", async (walk) => {
    const fields = { name: "walk", ...walk.key(people) };
    const { key } = await request<{ key: string }>(setup(), "POST /api/keys", fields);
    const [, id = ""] = await messageIds(setup(), server);
    await using visited = await visit(setup(), { key, reducedMotion: "reduce" });
    const { page } = visited;
    const traffic = watch(page);
    const open = async (path: string): Promise<void> => {
      await showView(page, path);
      await traffic.isQuiet();
    };
    const pressedInMessage: string[] = [];
    for (const route of walk.visits === "account" ? accountRoutes(people) : serverRoutes(id)) {
      await open(routePath(route));
      const pressed = route.kind === "mail" ? pressedInMessage : [];
      if (walk.presses(route)) await pressAll({ page, route, isQuiet: traffic.isQuiet, pressed });
    }
    await open("/");
    expect(traffic.forbidden).toEqual([]);
  });

  test("signs no key in that may only provision users", async () => {
    const { key } = await request<{ key: string }>(setup(), "POST /api/keys", { name: "walk", scope: "scim" });
    await using context = await newContext(setup());
    const page = await context.newPage();
    await page.goto(setup().service.url);
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    const refusal = page.getByText("This key may only provision users and groups by SCIM");
    await refusal.waitFor();
    await page.goto("about:blank");
    await page.goto(`${setup().service.url}/#token=${key}`);
    await refusal.waitFor();
  });

  test("shows a key that may only send one page, which signs out", async () => {
    const { key } = await request<{ key: string }>(setup(), "POST /api/keys", { name: "walk", scope: "send" });
    await using visited = await visit(setup(), { key, path: `/servers/${server}` });
    await visited.page.getByRole("heading", { name: "This key cannot read messages" }).waitFor();
    expect(await visited.page.getByRole("link").count()).toBe(1);
    await visited.page.getByRole("button", { name: "Sign out" }).click();
    await visited.page.getByLabel("API key").waitFor();
  });
}

/** Area of a page whose controls no other page has. */
function areaOf(route: Route): string {
  if (route.kind !== "mail" || route.message === null) return "main";
  return route.tab === null ? "article" : "[role=tabpanel]";
}

/** Controls whose name does not tell what they do: each tab of a message has its own. */
const ofOneTab = /^(?:Copy|Show|Download|Try again)/;

/**
 * Presses every control of a page once that is not in `pressed`, those of dialogs and menus that it opens too, and the keys
 * that act on messages. Adds those of the page to `pressed`.
 */
async function pressAll(place: {
  readonly page: Page;
  readonly route: Route;
  readonly isQuiet: () => Promise<void>;
  readonly pressed: string[];
}): Promise<void> {
  const { page, route, isQuiet } = place;
  const path = routePath(route);
  const pressed = place.pressed.filter((name) => !ofOneTab.test(name));
  const area = areaOf(route);
  const press = async (within: string): Promise<boolean> => {
    // What the last press opened may still be loading.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const name = await page.evaluate<string | null>(`(${pressNext})(${JSON.stringify({ within, pressed })})`);
      if (name !== null) pressed.push(name);
      if (name !== null && within === area) place.pressed.push(name);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await isQuiet();
      if (name !== null) return true;
    }
    return false;
  };
  const pressOpened = async (): Promise<void> => {
    for (const field of await page.locator("[role=dialog] :is(input:not([type]), textarea)").all()) {
      await field.fill("a@shop1234.restante.example.com");
    }
    while (await press("[role=dialog], [role=menu]"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    const { pathname, search } = new URL(page.url());
    if (pathname + search === path) return;
    // As the links of the page do: a page that is loaded anew takes most of the time of a press.
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
    await page.locator("main:not([aria-busy=true])").waitFor();
    await isQuiet();
  };
  while (await press(area)) await pressOpened();

  if (route.kind !== "mail" || (route.message !== null && route.tab !== null)) return;
  for (const key of shortcuts) {
    await page.locator("[data-id]").first().waitFor();
    await page.keyboard.press(key);
    await pressOpened();
  }
}

/** Runs in the page: presses a button that was not pressed before, and returns its name; null without one. */
const pressNext = `({ within, pressed }) => {
  for (const area of document.querySelectorAll(within)) {
    for (const button of area.querySelectorAll("button:enabled, [role=menuitem]")) {
      // One of the buttons that copy or show a thing stands for all of them.
      const name = (button.getAttribute("aria-label") ?? button.title + button.textContent).replace(/^(Copy|Show) .*/, "$1");
      if (pressed.includes(name)) continue;
      button.click();
      return name;
    }
  }
  return null;
}`;

/** Watches the requests of a page. */
function watch(page: Page): { readonly forbidden: readonly string[]; readonly isQuiet: () => Promise<void> } {
  const forbidden: string[] = [];
  const open = new Set<Request>();
  page.on("request", (sent) => {
    if (!sent.url().includes("/api/events")) open.add(sent);
  });
  page.on("requestfinished", (sent) => open.delete(sent));
  page.on("requestfailed", (sent) => open.delete(sent));
  page.on("response", (response) => {
    // A response that nothing reads is never finished.
    if (response.status() >= 400 || response.request().method() !== "GET") open.delete(response.request());
    if (response.status() !== 403) return;
    forbidden.push(
      `${new URL(page.url()).pathname}: ${response.request().method()} ${new URL(response.url()).pathname}`,
    );
  });
  const isQuiet = async (): Promise<void> => {
    await expect.poll(() => Array.from(open, (sent) => sent.url())).toEqual([]);
  };
  return { forbidden, isQuiet };
}
