import assert from "node:assert/strict";
import { test } from "node:test";
import { expectMailSnapshot, expectMessage, useRestante } from "restante/node-test";
import { signUp } from "./shop.ts";

const mail = useRestante();

test("a new user gets a code, a link and the terms", async (t) => {
  await signUp(mail.inbox.address, mail.service.smtp);

  const message = await mail.inbox.waitForOne({ subject: "Confirm" });
  expectMessage(message).toHaveCode("804219");
  expectMessage(message).not.toHaveCode("111111");
  assert.equal(message.link("Confirm"), "https://shop.example/confirm?t=1");
  assert.equal(new TextDecoder().decode(await message.download("terms.txt")), "The terms");
  await expectMailSnapshot(t, message);
});

test("one sign-up sends one mail", async () => {
  await signUp(mail.inbox.address, mail.service.smtp);
  await mail.inbox.expectExactly(1, {}, { settle: 200 });
});

test("nothing is sent without a sign-up", async () => {
  await mail.inbox.expectNone({}, { timeout: 200 });
});
