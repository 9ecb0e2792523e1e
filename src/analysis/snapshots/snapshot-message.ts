/** Snapshot of a message: its content as lines that a person can read and compare, without what differs between sendings. */
import type { Image, Link, Message } from "../../core/message.ts";
import type { MaskedValue, SnapshotOptions } from "../../core/snapshot.ts";
import { joinTexts } from "../../mime/body-content.ts";
import { type Mail, parseMail } from "../../mime/parse-mail.ts";
import type { MimeLimits } from "../../mime/source.ts";
import { analyseHtml } from "../analyse-html.ts";
import { analyseText } from "../analysed-text.ts";
import { normaliseText, mask, normaliseUrl } from "../duplicates/normalise-text.ts";
import { namedValues, type NamedValues } from "./text-masks.ts";

/** Header fields that every snapshot shows, in this order, where the mail has them. */
const shownHeaders = [
  "Subject",
  "From",
  "Sender",
  "Reply-To",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "List-Id",
  "Auto-Submitted",
  "Precedence",
  "Importance",
  "X-Priority",
  "Content-Language",
];
/** UTF-16 code units of a body that a snapshot shows. */
const bodyLengthMax = 262_144;

/** Message of a snapshot: the raw mail, which is empty for an SMS, and the texts of the SMS. */
export interface SnapshotSource {
  readonly raw: Uint8Array;
  readonly message: Pick<Message, "type" | "from"> & { readonly text: { readonly body: string | null } | null };
  /** Values that the service knows to differ, such as the addresses of the recipients. */
  readonly known: readonly MaskedValue[];
}

/**
 * Returns the snapshot of a message, which ends with a line feed. Masks what `normaliseText` does as `{*}`, the values of
 * the options by their names, the recipients and the ports of services on this machine. Never throws; linear in the bytes.
 */
export function snapshotMessage(source: SnapshotSource, options: SnapshotOptions, limits: MimeLimits): string {
  const names = namedValues([...(options.mask ?? []), ...source.known]);
  const sections =
    source.message.type === "SMS"
      ? snapshotSms(source.message, names)
      : snapshotMail(source.raw, { names, headers: options.headers ?? [] }, limits);
  const shown = sections.filter(({ lines }) => lines.length > 0);
  return shown.map(({ title, lines }) => `${title === "" ? "" : `\n## ${title}\n`}${lines.join("\n")}\n`).join("");
}

interface Section {
  /** "" for the first one, which has none. */
  readonly title: string;
  readonly lines: readonly string[];
}

interface Shown {
  readonly names: NamedValues;
  readonly headers: readonly string[];
}

function snapshotSms({ text }: SnapshotSource["message"], names: NamedValues): readonly Section[] {
  const body = text?.body ?? "";
  const { codes, links } = analyseText(body);
  return [
    { title: "", lines: ["SMS"] },
    { title: "Text", lines: textLines(body, codesIn(codes), names) },
    { title: "Links", lines: links.map((link) => linkLine(link, names)) },
  ];
}

function snapshotMail(raw: Uint8Array, { names, headers }: Shown, limits: MimeLimits): readonly Section[] {
  const mail = parseMail(raw, limits);
  const [html, text] = [joinTexts(raw, mail.htmlParts), joinTexts(raw, mail.textParts)];
  const ofHtml = analyseHtml(html ?? "");
  const ofText = analyseText(text ?? "");
  const codes = codesIn([...ofHtml.codes, ...ofText.codes]);
  const links = html === null ? ofText.links : ofHtml.links;
  return [
    { title: "", lines: headerLines(mail, [...shownHeaders, ...headers], (value) => line(value, codes, names)) },
    { title: "HTML", lines: textLines(ofHtml.visibleText, codes, names) },
    { title: "Plain text", lines: textLines(text ?? "", codes, names) },
    { title: "Links", lines: links.map((link) => linkLine(link, names)) },
    { title: "Images", lines: ofHtml.images.map((image) => imageLine(image, names)) },
    { title: "Attachments", lines: attachmentLines(mail, names) },
  ];
}

function headerLines(
  { headers }: Mail,
  shown: readonly string[],
  toLine: (value: string) => string,
): readonly string[] {
  const names = [...new Map(shown.map((name) => [name.toLowerCase(), name] as const))];
  return names.flatMap(([key, name]) =>
    headers.filter(({ field }) => field.toLowerCase() === key).map(({ value }) => `${name}: ${toLine(value)}`),
  );
}

/** Returns the lines of a text, each normalised; blank lines are joined, and those at the ends left out. */
function textLines(text: string, codes: readonly string[], names: NamedValues): readonly string[] {
  const shown = text.slice(0, bodyLengthMax).toWellFormed().trim();
  if (shown === "") return [];
  const lines = shown.split(/\r\n|\r|\n/).map((one) => line(one, codes, names));
  return lines.filter((one, at) => one !== "" || lines[at - 1] !== "");
}

function line(text: string, codes: readonly string[], names: NamedValues): string {
  return show(normaliseText(names.mark(text), codes).text, names);
}

function linkLine({ href, text }: Link, names: NamedValues): string {
  const target = urlOf(href, names);
  return text === null || text.trim() === href.trim() ? target : `${line(text, [], names)} -> ${target}`;
}

function imageLine({ src, alt }: Image, names: NamedValues): string {
  return `${alt.trim() === "" ? "(no text)" : line(alt, [], names)} -> ${urlOf(src, names)}`;
}

/** Returns a URL without its volatile parts; of an embedded image, only its type. */
function urlOf(url: string, names: NamedValues): string {
  const [, embedded] = /^(data:[^;,]{0,100})/i.exec(url.trim()) ?? [];
  return embedded ?? show(normaliseUrl(names.mark(url.trim())), names);
}

function attachmentLines({ attachments }: Mail, names: NamedValues): readonly string[] {
  return attachments.map(({ fileName, mediaType }) =>
    `${line((fileName ?? "").replaceAll("_", " "), [], names)} (${mediaType})`.trimStart(),
  );
}

function show(normalised: string, names: NamedValues): string {
  return names.name(normalised.replaceAll(mask, "{*}"));
}

function codesIn(codes: readonly { readonly value: string }[]): readonly string[] {
  return [...new Set(codes.map(({ value }) => value))];
}
