/** Tests with a real browser. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../core/background-tasks.ts";
import { systemClock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { defaultLimits } from "../core/limits.ts";
import { chromiumPath } from "../testing/chromium-path.test-aid.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { openBrowserFolder } from "./browser-folder.ts";
import { openFonts } from "./browser-fonts.ts";
import { launchBrowser, type OpenBrowser } from "./browser.ts";
import {
  browserProcesses,
  defunctChildren,
  hostilePages,
  ownBrowsers,
  pngSize,
  showFreely,
  Trap,
  type FreePage,
} from "./browser.test-aid.ts";
import { findEmailClient, type EmailClient } from "./email-client.ts";
import { composeShownPage } from "./shown-page.ts";
import { Renderer, type RendererOptions } from "./renderer.ts";

let path: string;
let trap: Trap;
const faults: string[] = [];
const caller = { key: "one" };

beforeAll(async () => {
  path = await chromiumPath();
  trap = await Trap.open();
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  if (ownBrowsers().length > 0) throw new Error("a browser was left behind");
});

function openRenderer(changes: Partial<RendererOptions> = {}): Renderer {
  const tasks = createBackgroundTasks(
    systemClock,
    ({ error }) => void (error instanceof Error && faults.push(error.message)),
  );
  // The real clock gets a generous time limit: the machine may be busy. Tests of the limit bring a clock of their own.
  const patience = changes.clock === undefined ? { renderMsMax: 120_000 } : {};
  return new Renderer({ choice: path, limits: defaultLimits, clock: systemClock, tasks, ...patience, ...changes });
}

function clientOf(label: string): EmailClient {
  const client = findEmailClient(label);
  if (client === undefined) throw new Error(`there is no ${label}`);
  return client;
}

const mac = clientOf("macos-applemail-lightmode");
/** A client with the fewest pixels, for tests that do not look at the picture. */
const small = clientOf("windows-outlook2021-lightmode");
const mailOf = (html: string) => async () => Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`);
const plain = mailOf("<p>Hello");
const heavy = mailOf("<table><tr><td>x".repeat(330_000));
/** As large as {@link heavy}, and cheap to render. */
const large = mailOf(`<p>Hello<!--${"x".repeat(5_000_000)}-->`);
const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "rendered",
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

function killBrowsers(): void {
  for (const id of ownBrowsers()) process.kill(id, "SIGKILL");
}

describe("one renderer and one browser without it", () => {
  let renderer: Renderer;
  let browser: OpenBrowser;
  beforeAll(async () => {
    renderer = openRenderer();
    browser = await launchBrowser(path, await openFonts(openBrowserFolder()));
  });
  afterAll(async () => {
    await Promise.all([renderer.close(), browser.close()]);
  });

  describe("a picture", () => {
    test("has the pixels of its client's screen, and is as high as the mail up to the limit", async () => {
      const sizeOf = async (label: string, html: string): Promise<readonly number[]> => {
        return pngSize(await renderer.render(mailOf(html), clientOf(label), caller));
      };
      expect(await sizeOf("windows-outlook2021-lightmode", "x")).toEqual([900, 700]);
      expect(await sizeOf("macos-applemail-lightmode", "<body style=margin:0><div style=height:1500px>")).toEqual([
        1800, 3000,
      ]);
      const phone = "iphone-16plus-applemail-lightmode-portrait";
      expect(await sizeOf(phone, "x")).toEqual([1290, 2796]);
      // A mail of 860 pixels on a screen of 430 is shown at half its size, in the same pixels.
      const wide = await sizeOf(phone, "<body style=margin:0><div style=width:860px;height:3728px>");
      expect(wide).toEqual([1290, 5592]);
      const high = await sizeOf("windows-outlook2021-lightmode", "<div style=height:900000px>");
      expect(high).toEqual([900, 16_000]);
      const highOnPhone = await sizeOf(phone, "<div style=height:900000px>");
      expect(Math.abs((highOnPhone[1] ?? 0) - 16_000)).toBeLessThan(4);
    });

    test("emulates dark mode, forced dark mode and blocked images of the client", async () => {
      const html = "<style>@media (prefers-color-scheme:dark){body{background:#123456}}</style><p>Hello";
      const of = (label: string) => renderer.render(mailOf(html), clientOf(label), caller);
      const light = await of("macos-applemail-lightmode");
      const [dark, again] = [await of("macos-applemail-darkmode"), await of("macos-applemail-lightmode")];
      expect(Buffer.compare(light, again)).toBe(0);
      expect(Buffer.compare(light, dark)).not.toBe(0);
      const [gmail, turned] = [
        await of("pixel-9-gmail-lightmode-portrait"),
        await of("pixel-9-gmail-darkmode-portrait"),
      ];
      expect(Buffer.compare(gmail, turned)).not.toBe(0);
    });
  });

  test("has a process with the compile cache of the service, and none of its settings", async () => {
    await renderer.audit(mailOf("<p>Hello"), caller);
    const [driver = 0] = browserProcesses();
    const variables = readFileSync(`/proc/${String(driver)}/environ`, "latin1").split("\0");
    const names = variables.map((variable) => variable.split("=", 1)[0] ?? "");
    expect(names).toContain("NODE_COMPILE_CACHE");
    expect(names.filter((name) => name.startsWith("RESTANTE_"))).toEqual(["RESTANTE_WORKER_SETTINGS"]);
  });

  describe("an audit", () => {
    test("returns the findings of axe-core on the rendered mail", async () => {
      const html =
        '<!doctype html><html lang=en><title>t</title><style>.faint{color:#ccc}</style><p class=faint>faint</p><img src="cid:x">';
      const { engine, findings } = await renderer.audit(mailOf(html), caller);
      expect(engine).toMatch(/^axe-core \d+\.\d+\.\d+$/);
      expect(findings.map(({ rule, severity, category }) => [rule, severity, category])).toEqual([
        ["axe-color-contrast", "error", "accessibility"],
        ["axe-image-alt", "error", "accessibility"],
      ]);
      expect(findings[0]?.subject).toBe('<p class="faint">faint</p>');
      expect(findings[0]?.message).toMatch(
        /contrast of 1\.6 \(foreground color: #cccccc, .* contrast ratio of 4\.5:1$/,
      );
      // The address of the image is that of the page.
      expect(findings[1]?.subject).toBe("<img>");
      const text = Buffer.from("Subject: Text\r\nContent-Type: text/plain\r\n\r\nOnly text\r\n");
      expect((await renderer.audit(async () => Promise.resolve(text), caller)).findings).toEqual([]);
    });
  });

  describe("hostile mail", () => {
    const harmless = new Set(["forms"]);

    test("makes connections in a browser without restrictions, which proves that the tests below are meaningful", async () => {
      const isDone = async ({ name, trap: own }: FreePage): Promise<void> => {
        if (!harmless.has(name)) await expect.poll(() => own.caught.length, { message: name }).toBeGreaterThan(0);
      };
      await showFreely(path, hostilePages, isDone);
    });

    test("makes no connection after rewriting, even in a browser without restrictions", async () => {
      const shown = (html: string): string =>
        composeShownPage({ html, parts: [], isRemoteAllowed: false, isDark: false });
      const pagesOf = (port: number): Readonly<Record<string, string>> =>
        Object.fromEntries(Object.entries(hostilePages(port)).map(([name, html]) => [name, shown(html)]));
      // No event shows that a browser will make no further connections.
      const caught = await showFreely(path, pagesOf, async ({ page }) => page.waitForTimeout(1000));
      expect(caught).toEqual([]);
    });

    test("does not change how an ordinary mail looks", async () => {
      const html = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
  <html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"><title>t</title><style type="text/css">
  /* reset */ body,table,td{-webkit-text-size-adjust:100%} .card{border-radius:8px;background:linear-gradient(#fff,#eef);box-shadow:0 1px 3px rgba(0,0,0,.2)}
  @media only screen and (max-width:600px){.card{width:100%!important}} a:hover{color:red} .x::before{content:"\\2713 <ok>"}</style>
  <!--[if mso]><style>.card{width:600px}</style><![endif]--></head><body bgcolor="#f4f4f4" style="margin:0;padding:0">
  <center><table width="600" cellpadding="0" cellspacing="0" border="0" align="center" class="card"><tr><td valign="top" style="padding:24px;font:16px/1.5 Arial,'Helvetica Neue',sans-serif">
  <h1 style="color:#123;margin:0 0 12px">Hello &amp; welcome</h1><p class=x>Your code is <b>482913</b><br><i>5 &lt; 6 <u>nested</i></u></p>
  <a href="https://shop.example/a" style="display:inline-block;background:#06c;color:#fff;padding:10px 18px;text-decoration:none">Go</a>
  <svg width="24" height="24" viewBox="0 0 24 24"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><path fill="url(#g)" d="M0 0h24v24z"/></svg>
  <img src="https://shop.example/logo.png" width="80" height="40" alt="Logo"><hr noshade><font color=red size=2>small</font><o:p>&nbsp;</o:p></td></tr></table></center></body></html>`;
      const picture = async (page: string): Promise<string> =>
        Buffer.from(await browser.photograph({ html: page, images: new Map() }, mac)).toString("base64");
      const shown = composeShownPage({ html, parts: [], isRemoteAllowed: false, isDark: false });
      // The icon of the missing image may be painted after the page has loaded.
      await expect.poll(async () => (await picture(html)) === (await picture(shown))).toBe(true);
    });

    test("makes no connection even when only the browser prevents it", async () => {
      const pages = hostilePages(trap.port);
      // The test above shows that each page is harmless after rewriting.
      const all = mailOf(Object.values(pages).join("\n"));
      await renderer.render(all, mac, caller);
      await codeOf(renderer.audit(all, caller));
      expect(trap.caught).toEqual([]);
      for (const [name, html] of Object.entries(pages)) {
        // Unmodified HTML: a page that navigates may fail, and must not connect.
        await codeOf(browser.photograph({ html, images: new Map() }, small));
        await codeOf(browser.examine({ html, images: new Map() }, "1"));
        expect([name, trap.caught]).toEqual([name, []]);
      }
    });
  });
});

describe("hostile mail", () => {
  test("renders the next mail beside five megabytes of nested tables or huge sizes", async () => {
    const renderer = openRenderer({ renderMsMax: 3000 });
    const huge = mailOf(
      `<div style="width:1e9px;height:1e9px;filter:blur(999px)"><img width=999999999 height=999999999 src=x>${"<b>".repeat(50_000)}`,
    );
    for (const source of [heavy, huge])
      expect(["rendered", "unavailable"]).toContain(await codeOf(renderer.render(source, mac, caller)));
    await expectRecovery(renderer);
    await renderer.close();
  });
});

/** Repeats an action until a promise settles. */
async function repeatUntilSettled(promise: Promise<unknown>, action: () => void): Promise<void> {
  let hasSettled = false;
  void promise.finally(() => (hasSettled = true));
  await expect
    .poll(() => {
      action();
      return hasSettled;
    })
    .toBe(true);
}

/** Retries a mail until it is rendered: a process that failed to start is restarted after a pause. */
async function expectRecovery(renderer: Renderer): Promise<void> {
  await expect.poll(() => codeOf(renderer.render(plain, small, caller))).toBe("rendered");
}

describe("a renderer", () => {
  let renderer: Renderer;
  beforeAll(() => {
    renderer = openRenderer();
  });
  afterAll(async () => renderer.close());

  // This test is the first one: in the others, the browser has rendered mails before.
  test("replaces a browser that is killed with its first mail, which fails", async () => {
    const call = codeOf(renderer.render(heavy, small, caller));
    await repeatUntilSettled(call, killBrowsers);
    expect(await call).toBe("unavailable");
    await expectRecovery(renderer);
  });

  test("replaces a browser that is killed between two mails, or while a mail is sent to it", async () => {
    expect(await codeOf(renderer.render(plain, small, caller))).toBe("rendered");
    killBrowsers();
    expect(await codeOf(renderer.render(plain, small, caller))).toBe("rendered");
    const source = async (): Promise<Uint8Array> => {
      killBrowsers();
      return large();
    };
    expect(await codeOf(renderer.render(source, small, caller))).toBe("rendered");
  });

  test("replaces a killed process with its browser, and leaves neither the browser nor a defunct process behind", async () => {
    await renderer.render(plain, small, caller);
    const [first] = ownBrowsers();
    const call = codeOf(renderer.render(heavy, small, caller));
    const [driver = 0] = browserProcesses();
    process.kill(driver, "SIGKILL");
    expect(await call).toBe("unavailable");
    await expectRecovery(renderer);
    expect(ownBrowsers()).not.toContain(first);
    await renderer.close();
    expect([ownBrowsers(), browserProcesses(), defunctChildren()]).toEqual([[], [], []]);
  });

  test("replaces a browser whose mail took too long, and one that exited because it was idle", async () => {
    const clock = new FakeClock();
    const timed = openRenderer({ clock });
    expect(await codeOf(timed.render(plain, small, caller))).toBe("rendered");
    const [first] = ownBrowsers();
    const call = codeOf(timed.render(heavy, small, caller));
    await repeatUntilSettled(call, () => {
      clock.advance(20_000);
    });
    expect(await call).toBe("unavailable");
    expect(await codeOf(timed.render(plain, small, caller))).toBe("rendered");
    expect(ownBrowsers()).toHaveLength(1);
    expect(ownBrowsers()).not.toContain(first);
    clock.advance(60_000);
    await expect.poll(() => [...ownBrowsers(), ...browserProcesses()]).toEqual([]);
    expect(await codeOf(timed.render(plain, small, caller))).toBe("rendered");
    await timed.close();
    expect(defunctChildren()).toEqual([]);
  });

  test("replaces a browser whose mail took too much memory", async () => {
    const limited = openRenderer({ memoryBytesMax: 1024 * 1024 });
    expect(await codeOf(limited.render(heavy, small, caller))).toBe("unavailable");
    expect(faults.at(-1)).toMatch(/closed|crash|exited/i);
    await limited.close();
  });
});

test("reports a browser that does not start, with its error output as the reason", async () => {
  const renderer = openRenderer({ choice: process.execPath });
  expect(await renderer.problem()).toBeNull();
  const refused = await renderer.render(plain, small, caller).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect(refused).toMatchObject({
    message: "Chromium could not be started; the service's log says why",
    retryAfterSeconds: 1,
  });
  expect(faults.at(-1)).toContain("bad option");
  await renderer.close();
});

describe("the queue", () => {
  test("accepts 100 queued mails of a key, rejects further ones with 429, and accepts mails of other keys", async () => {
    const renderer = openRenderer();
    const held = Promise.withResolvers<Uint8Array>();
    const source = () => held.promise;
    const asked = Array.from({ length: 101 }, () => codeOf(renderer.render(source, small, caller)));
    expect(await codeOf(renderer.render(source, small, caller))).toBe("too_many_requests");
    asked.push(codeOf(renderer.audit(source, { key: "other" })));
    held.reject(new Problem("gone"));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["gone"]));
    await renderer.close();
  });

  test("reports its backlog and age as the background task previews", async () => {
    const clock = new FakeClock();
    const tasks = createBackgroundTasks(clock, () => undefined);
    const renderer = openRenderer({ clock, tasks });
    const held = Promise.withResolvers<Uint8Array>();
    const asked = [1, 2].map(() => codeOf(renderer.render(() => held.promise, small, caller)));
    clock.advance(3000);
    expect(tasks.states()).toMatchObject([{ task: "previews", state: "idle", backlog: 1, oldestWaitingMs: 3000 }]);
    held.reject(new Problem("gone"));
    await Promise.all(asked);
    expect(tasks.states()).toMatchObject([{ state: "idle", backlog: 0, oldestWaitingMs: 0 }]);
    await renderer.close();
    expect(tasks.states()).toEqual([]);
  });

  test("is empty once the renderer is closed", async () => {
    const renderer = openRenderer();
    const held = Promise.withResolvers<Uint8Array>();
    const first = codeOf(renderer.render(() => held.promise, small, caller));
    const second = codeOf(renderer.render(plain, small, caller));
    const closing = renderer.close();
    held.resolve(Buffer.from("x"));
    expect(await Promise.all([first, second])).toEqual(["unavailable", "unavailable"]);
    await closing;
    expect(await codeOf(renderer.render(plain, small, caller))).toBe("unavailable");
  });

  test("rejects every mail when there is no browser", async () => {
    const renderer = openRenderer({ choice: "off" });
    expect(await renderer.problem()).toContain("RESTANTE_CHROMIUM");
    expect(await codeOf(renderer.render(plain, small, caller))).toBe("unavailable");
    await renderer.close();
  });
});
