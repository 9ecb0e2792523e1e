/** A server of 100,000 short mails that are searched as one types. */
import { setTimeout as pause } from "node:timers/promises";
import { benchKey, benchServer, type Program } from "./child.ts";
import { prose, seededRandom } from "./realistic-mail.ts";
import { Conversation } from "./senders.ts";

const messageCount = 100_000;
const senderCount = 500;
const connectionCount = 20;
const bodyWords = 60;
/** The only message with the rare word and the code. */
const rareAt = 4711;
const indexPollMs = 500;

/** Texts that are typed letter by letter, named by how many messages match. */
export const typedTexts: readonly (readonly [name: string, text: string])[] = [
  ["word of every message", "your order"],
  ["word of one subject", "zebracorn"],
  ["sender", "sender42@"],
  ["part of a recipient", "u4711@"],
  ["code of one body", "804219"],
  ["word of no message", "xqzwxq"],
  ["operator", "from:sender42 order"],
];

/** Sends the mails, and resolves when the text index has them all. */
export async function fillLargeServer(service: Program): Promise<void> {
  await fill(service);
  await indexed(service);
}

async function fill({ smtpPort }: Program): Promise<void> {
  const random = seededRandom(1);
  let next = 0;
  const work = async (): Promise<void> => {
    const conversation = await Conversation.open(smtpPort);
    for (let number = next++; number < messageCount; number = next++) {
      const isRare = number === rareAt;
      const subject = `Your order ${prose(random, 3)}${isRare ? " zebracorn" : ""}`;
      const sender = `Sender ${String(number % senderCount)} <sender${String(number % senderCount)}@shop.example>`;
      const body = `${prose(random, bodyWords)}${isRare ? " Code 804219." : ""}`;
      const to = `u${String(number)}@${benchServer}.restante.test`;
      const mail = `From: ${sender}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
      await conversation.send(to, Buffer.from(mail));
    }
    await conversation.quit();
  };
  await Promise.all(Array.from({ length: connectionCount }, work));
}

/** Waits until no message waits for the text index. */
async function indexed({ httpPort }: Program): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(httpPort)}/metrics`, {
      headers: { authorization: `Bearer ${benchKey}` },
    });
    const [, backlog] = /^restante_index_backlog (\d+)$/m.exec(await response.text()) ?? [];
    if (backlog === undefined) throw new Error("the metrics name no backlog of the text index");
    if (backlog === "0") return;
    await pause(indexPollMs);
  }
}
