/** Senders of distinct mails while nodes and databases are killed, and what must be stored afterwards. */
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import type { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";

/** Server, and the node that is asked about it. */
export interface Inbox {
  readonly node: ServiceAccess;
  readonly server: string;
}

/** Outcome of the messages of one sender. */
export interface Sent {
  /** Acknowledged with 250. */
  readonly accepted: string[];
  /** Rejected: certainly not stored. */
  readonly refused: string[];
}

/** Sends distinct messages in sequence, each over a new connection, until stopped or the node exits. */
export async function sendMails({ node, server }: Inbox, sender: string, goesOn: () => boolean): Promise<Sent> {
  const sent: Sent = { accepted: [], refused: [] };
  for (let number = 0; goesOn(); number += 1) {
    const mark = `${sender}-${String(number)}`;
    try {
      await using dialogue = await node.greet();
      ((await isTaken(dialogue, server, mark)) ? sent.accepted : sent.refused).push(mark);
    } catch {
      // The connection broke: it is unknown whether the message was stored.
      await turn();
    }
  }
  return sent;
}

async function isTaken(dialogue: SmtpDialogue, server: string, mark: string): Promise<boolean> {
  const lines = ["EHLO test", "MAIL FROM:<a@b.example>", `RCPT TO:<x@${server}.test>`, "DATA"];
  for (const line of lines) {
    await dialogue.write(`${line}\r\n`);
    const reply = await dialogue.reply();
    if (reply.startsWith("451")) return false;
    expect(reply).toMatch(/^[23]/);
  }
  await dialogue.write(`Subject: ${mark}\r\n\r\n${mark} `.concat("x".repeat(2000), "\r\n.\r\n"));
  const reply = await dialogue.reply();
  expect(reply).toMatch(/^(?:250|451)/);
  return reply.startsWith("250");
}

/** Returns the subjects of all messages of a server. */
export async function storedMarks({ node, server }: Inbox, key: string): Promise<readonly string[]> {
  const marks: string[] = [];
  for (let page = 0; ; page += 1) {
    const path = `/api/messages?server=${server}&itemsPerPage=1000&page=${String(page)}`;
    const found = (await (await node.fetch(path, key)).json()) as { subject: string }[];
    marks.push(...found.map(({ subject }) => subject));
    if (found.length < 1000) return marks;
  }
}

/** Expects that every acknowledged message is stored, none twice, and no rejected one. */
export function expectWhole(stored: readonly string[], all: readonly Sent[]): void {
  const accepted = all.flatMap((one) => one.accepted);
  const held = new Set(stored);
  expect(accepted.filter((mark) => !held.has(mark))).toEqual([]);
  expect(held.size).toBe(stored.length);
  expect(all.flatMap((one) => one.refused).filter((mark) => held.has(mark))).toEqual([]);
}
