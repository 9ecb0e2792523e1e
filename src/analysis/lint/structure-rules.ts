import { isAscii, isUtf8 } from "node:buffer";
import { decodeBytes } from "../../mime/body-content.ts";
import type { Part } from "../../mime/part.ts";
import { hasElement, isEmpty } from "../mail-facts.ts";
import { type LintRule, type LintSubject, type Notice, noticeIf, noticesOf, rulesOf } from "./lint-rule.ts";

/** Labels of texts that have no bytes beyond ASCII. */
const asciiLabels: ReadonlySet<string> = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us"]);
const notBase64 = /[^A-Za-z0-9+/=\s]/;

/** Returns one notice for each kind of bytes whose meaning has to be guessed. Linear in the mail. */
function* checkEncodings({ raw, mail }: LintSubject): Generator<Notice> {
  if (!isUtf8(raw.subarray(0, mail.root.headerEnd))) {
    yield { message: "The header section has bytes that are neither ASCII nor UTF-8" };
  }
  const texts = [...mail.textParts, ...mail.htmlParts];
  const unlabelled = texts.find((part) => isUnlabelled(part) && !isAscii(decodeBytes(raw, part)));
  if (unlabelled !== undefined) {
    const { mediaType, charset } = unlabelled;
    yield { message: "A text has bytes beyond ASCII without a charset for them", subject: charset ?? mediaType };
  }
  const mislabelled = texts.find((part) => isLabelledUtf8(part) && !isUtf8(decodeBytes(raw, part)));
  if (mislabelled !== undefined) {
    yield { message: "A text is labelled UTF-8 and is not in it", subject: mislabelled.mediaType };
  }
  const damaged = [...texts, ...mail.attachments].find((part) => hasOtherCharacters(raw, part));
  if (damaged !== undefined) yield { message: "Base64 has characters of no meaning", subject: damaged.mediaType };
}

function isUnlabelled({ charset }: Part): boolean {
  return charset === null || asciiLabels.has(charset);
}

function isLabelledUtf8({ charset }: Part): boolean {
  return charset === "utf-8" || charset === "utf8";
}

function hasOtherCharacters(raw: Uint8Array, { transferEncoding, bodyStart, bodyEnd }: Part): boolean {
  if (transferEncoding !== "base64") return false;
  return notBase64.test(Buffer.from(raw.buffer, raw.byteOffset + bodyStart, bodyEnd - bodyStart).toString("latin1"));
}

/** Size of HTML beyond which Gmail shows only the beginning and a link to the rest. */
const clippedBytesMax = 102 * 1024;
const mailBytesMax = 10 * 1024 * 1024;
/** Share of the HTML's words that the plain text must contain to count as equivalent. */
const twinShareMin = 0.5;
const comparedWordCountMax = 20_000;
/** Placeholders that a report lists. */
const placeHolderCountMax = 20;

/** Rules about the structure of the mail. */
export const structureRules: readonly LintRule[] = rulesOf("structure", {
  "html-clipped": {
    severity: "error",
    meaning:
      "The HTML has at most 102 kB (104,448 bytes in UTF-8): Gmail clips longer HTML, including the unsubscribe link.",
    check: ({ html }) => {
      const size = html === null ? 0 : Buffer.byteLength(html);
      return noticeIf(size > clippedBytesMax, `The HTML has ${Math.ceil(size / 1024)} kB, and Gmail clips it at 102`);
    },
  },
  "mail-size": {
    severity: "warning",
    meaning: "The mail has at most 10 MiB: many receivers accept no more.",
    check: ({ raw }) =>
      noticeIf(raw.byteLength > mailBytesMax, `The mail has ${Math.ceil(raw.byteLength / 1024 / 1024)} MiB`),
  },
  "text-twin": {
    severity: "warning",
    meaning:
      "HTML has a plain-text alternative with the same content (RFC 2046 §5.1.4): watches, screen readers and filters use it.",
    check: ({ html, text, visibleText }) => {
      if (html === null) return [];
      if (text === null) return [{ message: "There is no plain-text part beside the HTML" }];
      if (text.trim() === "") return [{ message: "The plain-text part is empty" }];
      return noticeIf(sharedWords(visibleText, text) < twinShareMin, "The plain-text part differs from the HTML");
    },
  },
  body: {
    severity: "error",
    meaning: "The mail has text, an image or an attachment.",
    check: (subject) => noticeIf(isEmpty(subject), "The mail is empty"),
  },
  "active-content": {
    severity: "error",
    meaning: "The HTML contains no script, frame, object or form that submits: email clients remove or distrust them.",
    check: (subject) =>
      ["script", "iframe", "frame", "object", "embed", "applet", "form"]
        .filter((name) => hasElement(subject, name))
        .map((name) => ({ message: `The HTML contains the element ${name}`, subject: `<${name}>` })),
  },
  "unfilled-template": {
    severity: "error",
    meaning:
      "No placeholder of a template is left in the subject or the visible text: `{{name}}`, `${name}`, `%FIRSTNAME%`, `[object Object]`, `undefined` after a greeting, a colon or a currency.",
    check: ({ mail, visibleText }) =>
      noticesOf(
        "A placeholder was not replaced",
        [mail.subject, visibleText]
          .flatMap((text) => Array.from(text.matchAll(placeHolder).take(placeHolderCountMax), ([found]) => found))
          .slice(0, placeHolderCountMax),
      ),
  },
  "mime-fault": {
    severity: "warning",
    meaning:
      "The MIME structure has none of the errors that this service tolerates and reports as the `defects` of a message.",
    check: ({ mail }) =>
      mail.defects
        .filter((defect) => !reportedElsewhere.has(defect))
        .map((defect) => ({ message: `The mail has the defect ${defect}`, subject: defect })),
  },
  "encoding-fault": {
    severity: "warning",
    meaning:
      "Header fields beyond ASCII are UTF-8 (RFC 6532 §3.2), texts beyond ASCII have a charset and are in it (RFC 2046 §4.1.2), and base64 has no other characters (RFC 2045 §6.8): this service guesses as some receivers do, and others show wrong characters.",
    check: checkEncodings,
  },
});

const placeHolder =
  /\{\{[^{}\n]{1,80}\}\}|\$\{[^{}\n]{1,80}\}|<%[^%\n]{1,80}%>|%[A-Z_]{3,40}%|\*\|[A-Z_:]{2,40}\|\*|\[object Object\]|(?<=(?:\b(?:[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear)|[:$€£]) ?)(?:undefined|null|NaN)\b/g;

const reportedElsewhere: ReadonlySet<string> = new Set([
  "missing_from",
  "from_without_address",
  "missing_date",
  "unreadable_date",
  "repeated_header_field",
]);

function sharedWords(visible: string, text: string): number {
  const words = wordsOf(visible);
  if (words.size < 5) return 1;
  const known = wordsOf(text);
  return words.intersection(known).size / words.size;
}

function wordsOf(text: string): ReadonlySet<string> & Set<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,40}/gu)) {
    words.add(word);
    if (words.size >= comparedWordCountMax) break;
  }
  return words;
}
