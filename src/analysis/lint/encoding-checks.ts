import { isAscii, isUtf8 } from "node:buffer";
import { decodeBytes } from "../../mime/body-content.ts";
import type { Part } from "../../mime/part.ts";
import type { LintSubject, Notice } from "./lint-rule.ts";

/** Labels of texts that have no bytes beyond ASCII. */
const asciiLabels: ReadonlySet<string> = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us"]);
const notBase64 = /[^A-Za-z0-9+/=\s]/;

/** Returns one notice for each kind of bytes whose meaning has to be guessed. Linear in the mail. */
export function* checkEncodings({ raw, mail }: LintSubject): Generator<Notice> {
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
