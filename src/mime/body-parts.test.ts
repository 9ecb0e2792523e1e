import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { joinTexts } from "./body-content.ts";
import { parseMail } from "./parse-mail.ts";

const head = "From: a@example.com\nDate: Fri, 20 Nov 2026 10:42:07 +0000\n";
const html = (fields = ""): string => `Content-Type: text/html\n${fields}\n<p>page</p>`;
const text = (fields = ""): string => `Content-Type: text/plain\n${fields}\nplain`;
const image = "Content-Type: image/png\nContent-ID: <logo>\n\nx";
const both = `Content-Type: multipart/alternative; boundary=c\nContent-ID: <both>\n\n--c\n${text()}\n--c\n${html()}\n--c--`;

function read(type: string, parts: readonly string[]) {
  const body = parts.map((part) => `--b\n${part}\n`).join("");
  const raw = Buffer.from(`${head}Content-Type: multipart/${type}; boundary=b\n\n${body}--b--\n`);
  const mail = parseMail(raw, defaultLimits);
  return {
    text: joinTexts(raw, mail.textParts),
    html: joinTexts(raw, mail.htmlParts),
    attachments: mail.attachments.map(({ mediaType }) => mediaType),
  };
}

describe("multipart/related", () => {
  const page = { text: null, html: "<p>page</p>", attachments: ["image/png"] };

  it.each([
    ["is first", "related", [html(), image]],
    ["is first and has a Content-ID", "related", [html("Content-ID: <root>\n"), image]],
    ["is named by start", 'related; start="<root>"', [image, html("Content-ID: <root>\n")]],
    ["is named by start without brackets", "related; start=root", [image, html("Content-ID: <root>\n")]],
    ["comes after an image", "related", [image, html()]],
    ["comes after an image and has a Content-ID", "related", [image, html("Content-ID: <root>\n")]],
    ["has a file name", "related", [image, html("Content-Disposition: inline; filename=page.html\n")]],
    ["is not where start points to", 'related; start="<lost>"', [image, html("Content-ID: <root>\n")]],
  ])("shows the root of a multipart/related as the body when it %s", (_, type, parts) => {
    expect(read(type, parts)).toEqual(page);
  });

  it.each([
    ["first", "related", [both, image]],
    ["named by start", 'related; start="<both>"; type="multipart/alternative"', [image, both]],
    ["after an image", 'related; type="multipart/alternative"', [image, both]],
  ])("shows the root of a multipart/related as the body when it is an alternative, %s", (_, type, parts) => {
    expect(read(type, parts)).toEqual({ ...page, text: "plain" });
  });

  it("shows the part of the declared type as the body when an image comes first", () => {
    const named = [image, text("Content-ID: <note>\n"), html("Content-ID: <root>\n")];
    expect(read('related; type="text/html"', named)).toEqual({
      text: null,
      html: "<p>page</p>",
      attachments: ["image/png", "text/plain"],
    });
  });

  it("shows a first part that start does not name as a file if it has a Content-ID", () => {
    expect(read('related; start="<root>"', [html("Content-ID: <frame>\n"), html("Content-ID: <root>\n")])).toEqual({
      text: null,
      html: "<p>page</p>",
      attachments: ["text/html"],
    });
  });
});

it.each([
  ["mixed", [text(), image, text(), html()], "plain\nplain", "<p>page</p>", ["image/png"]],
  ["alternative", ["Content-Type: text/calendar\n\nx"], null, null, ["text/calendar"]],
  ["report", [text(), "Content-Type: message/delivery-status\n\nx"], "plain", null, ["message/delivery-status"]],
  ["digest", ["\nSubject: x\n\nx"], null, null, ["message/rfc822"]],
  [
    "signed",
    [both, "Content-Type: application/pgp-signature\n\nx"],
    "plain",
    "<p>page</p>",
    ["application/pgp-signature"],
  ],
  ["encrypted", ["Content-Type: application/pgp-encrypted\n\nx"], null, null, ["application/pgp-encrypted"]],
])("sorts the parts of a multipart/%s", (type, parts, ...expected) => {
  const { text: textBody, html: htmlBody, attachments } = read(type, parts);
  expect([textBody, htmlBody, attachments]).toEqual(expected);
});
