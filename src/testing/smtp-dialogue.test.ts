import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { SmtpDialogue } from "./smtp-dialogue.ts";

async function playedAgainst(script: string): Promise<SmtpDialogue> {
  const server = createServer((socket) => {
    socket.end(script);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const dialogue = await SmtpDialogue.connect((server.address() as AddressInfo).port);
  server.close();
  return dialogue;
}

test("reads replies one at a time with all their lines", async () => {
  await using dialogue = await playedAgainst("220 hi\r\n250-a\r\n250 b\r\n354\r\nleft");
  expect(await dialogue.reply()).toBe("220 hi");
  expect(await dialogue.reply()).toBe("250-a\r\n250 b");
  expect(await dialogue.expect(/^354$/)).toBe("354");
  expect(await dialogue.rest()).toBe("left");
  expect(dialogue.isOver).toBe(true);
});

test("rejects with the reply when another one is expected", async () => {
  await using dialogue = await playedAgainst("220 hi\r\n");
  await expect(dialogue.play(["EHLO x", "250"])).rejects.toThrow("Expected 250 after EHLO x, got 220 hi");
});

test("rejects when the session ends before a reply", async () => {
  await using dialogue = await playedAgainst("250-a\r\n");
  await expect(dialogue.reply()).rejects.toThrow("ended before a reply was complete: 250-a");
});
