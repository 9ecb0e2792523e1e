import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chromiumPath } from "../../../src/testing/chromium-path.test-aid.ts";
import { LocalService } from "../../../src/testing/local-service.ts";
import { pdfWith } from "./bombs.ts";
import { addAxe } from "./page-state.ts";
import { empty, request, messageIds, send, visit, type Setup } from "./setup.ts";
import { openHeldRelay } from "./sending.ts";
import { addressOn, other, server, takeStep, viewportOf, type Walk } from "./walk.ts";
import { deleteResults, findNothing, moveInList, runCommands, search, select } from "./walk-list.ts";
import { answer, checkPlainText, fillForms, readTabs } from "./walk-message.ts";
import { managePages, showWrongStates, signInAgain, startServer } from "./walk-pages.ts";

/** Messages that the last step of each walk deletes: more than a page of the list has. */
const fillerCount = 101;

/** A width of the window in pixels, with its theme. */
export interface Size {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
  /** Further widths, to which the page is resized for each inspection; none by default. */
  readonly otherWidths?: readonly number[];
}

/** Journeys by keyboard alone through the list, messages, search, forms and failures, one for each size. */
export function describeSizes(setup: () => Setup, sizes: readonly Size[]): void {
  let service: LocalService;
  let walked: Setup;
  let mailIds: readonly string[];
  let relay: Awaited<ReturnType<typeof openHeldRelay>>;
  beforeAll(async () => {
    relay = await openHeldRelay();
    service = await LocalService.start([`--data-dir=${join(mkdtempSync(join(tmpdir(), "restante-web-")), "data")}`], {
      RESTANTE_API_KEY: "a-key-for-journeys",
      RESTANTE_SERVERS: `${server}:Server 1,${other}:Server 2`,
      RESTANTE_CHROMIUM: await chromiumPath(),
      RESTANTE_RELAY_URL: relay.url,
    });
    const smtp = { ...setup().service.smtp, port: service.smtpPort };
    const reached = { ...setup().service, smtp, url: service.url, apiKey: "a-key-for-journeys" };
    walked = { browser: setup().browser, service: reached, servers: [server, other] };
    await sendMails(walked);
    mailIds = await messageIds(walked, server);
  });
  afterAll(async () => {
    await service.stop();
    await relay[Symbol.asyncDispose]();
  });

  test.each(sizes)(
    "works by keyboard at $width px, without cut-off content or lost focus",
    async ({ width, colorScheme, otherWidths = [] }) => {
      // A walk that failed has left messages.
      await deleteOthers(walked, mailIds);
      await addFillers(walked);
      const ids = [...(await messageIds(walked, server)), ...(await messageIds(walked, server, 1))];
      const path = `/servers/${server}/messages/${ids[25] ?? ""}`;
      await using visited = await visit(walked, {
        viewport: viewportOf(width),
        colorScheme,
        reducedMotion: "reduce",
        path,
      });
      const { page, consoleErrors } = visited;
      await addAxe(page);
      const isBeside = width >= 1180;
      const walk: Walk = { setup: walked, page, width, otherWidths, isBeside, isPhone: width < 820, ids, faults: [] };
      const inMail = {
        moveInList,
        select,
        search,
        findNothing,
        runCommands,
        answer,
        readTabs,
        checkPlainText,
        fillForms,
      };
      const steps = { ...inMail, deleteResults, startServer, managePages, showWrongStates };
      for (const [name, step] of Object.entries(steps)) await takeStep(walk, name, step);
      const errors = consoleErrors.filter((text) => !text.includes("404"));
      await takeStep(walk, "signInAgain", signInAgain);
      expect([...walk.faults, ...errors]).toEqual([]);
    },
  );
}

/** Sends the emails that all walks open. */
async function sendMails(to: Setup): Promise<void> {
  const logo = {
    filename: "logo.png",
    content: Buffer.from("png"),
    cid: "logo",
    contentDisposition: "inline" as const,
  };
  const files = [
    { filename: "invitation.ics", content: invitation, contentType: "text/calendar; method=REQUEST" },
    { filename: "terms.pdf", content: pdfWith("Be kind") },
    logo,
  ];
  const html = `<p style="color:#111">Readable</p><table width="1000"><tr><td id="left">Left<td align="right" id="right">Right</table><img src="cid:logo" alt="">`;
  const text = "Read https://shop.example/terms today";
  const recipients = Array.from({ length: 40 }, (_, at) => addressOn(server, `person-${at}`)).join(", ");
  await send(to, { subject: "Wide", html, text, to: recipients, attachments: files }, addressOn(server, "person-0"));
  await send(to, { subject: "Plain", text }, addressOn(server, "carl"));
  const terms = [{ filename: "terms-of-use.pdf", content: "x" }];
  const erika = { from: "Erika Sender <erika@sender.example>", subject: "Invoice", text: "Your code is 482913" };
  await send(to, { ...erika, attachments: terms, references: "<root@shop.example>" }, addressOn(server, "anna"));
  await send(to, { subject: "Reminder", text: "Your invoice is due" }, addressOn(server, "ben"));
}

const invitation = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//shop//EN
METHOD:REQUEST
BEGIN:VEVENT
UID:1@shop.example
DTSTAMP:20260101T000000Z
DTSTART:20260301T120000Z
DTEND:20260301T130000Z
SUMMARY:Tasting
ORGANIZER:mailto:erika@sender.example
END:VEVENT
END:VCALENDAR
`.replaceAll("\n", "\r\n");

/** Deletes the messages on the other server, and those on the walked one that are not in a list of ids. */
async function deleteOthers(to: Setup, kept: readonly string[]): Promise<void> {
  await empty(to, other);
  const ids = [...(await messageIds(to, server)), ...(await messageIds(to, server, 1))];
  for (const id of ids) if (!kept.includes(id)) await request(to, `DELETE /api/messages/${id}`);
}

async function addFillers(to: Setup): Promise<void> {
  const numbers = Array.from({ length: fillerCount }, (_, at) => at);
  await Promise.all(
    numbers.map(async (at) =>
      request(to, `POST /api/messages?server=${server}`, {
        to: addressOn(server, `user-${at}`),
        subject: `Mail ${at}`,
        text: "x",
      }),
    ),
  );
}
