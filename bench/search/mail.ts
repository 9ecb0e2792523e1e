import { foldAddress, foldText } from "../../src/core/fold.ts";
import { foldPart, SearchBody } from "../../src/core/search/search-fields.ts";
import type { IdSource } from "../../src/core/ids.ts";
import type { ServerId } from "../../src/core/ids.ts";
import type { NewMessage } from "../../src/store/store.ts";
import type { CorpusMail } from "./corpus.ts";

/** Returns the message that the service would store for an email: summary, detail, raw bytes, and folded texts. */
export function toMessage(mail: CorpusMail, server: ServerId, ids: IdSource): NewMessage {
  const { id, receivedAt } = ids.next(server, "Received");
  const { subject, text, html, sender, recipient } = mail;
  const summary = {
    id,
    server,
    received: new Date(receivedAt).toISOString(),
    from: [{ name: "", email: sender }],
    to: [{ name: "", email: recipient }],
    subject,
  };
  const head = `From: ${sender}\r\nTo: ${recipient}\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n`;
  const parts = [
    ["text/plain", text],
    ["text/html", html],
  ].map(([type = "", content = ""]) => `--b\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${content}\r\n`);
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify(summary)),
    detailJson: Buffer.from(JSON.stringify({ ...summary, html: { body: html }, text: { body: text } })),
    raw: Buffer.from(`${head}Content-Type: multipart/alternative; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`),
    keys: {
      from: [foldAddress(sender)],
      to: [foldAddress(recipient)],
      subject: foldText(subject),
      fields: { from: [foldPart(sender)], to: [foldPart(recipient)] },
      body: new SearchBody([text, html, html.replaceAll(/<[^>]*>/g, " ")].map(foldText)),
    },
  };
}
