import { expectMessage, useRestante } from "restante/jest";
import { signUp } from "./shop.mjs";

const mail = useRestante();

test("a new user gets a code, a link and the terms", async () => {
  await signUp(mail.inbox.address, mail.service.smtp);

  const message = await mail.inbox.waitForOne({ subject: "Confirm" }, { timeout: 4000 });
  expectMessage(message).toHaveCode("804219");
  expect(message.link("Confirm")).toBe("https://shop.example/confirm?t=1");
  expect(new TextDecoder().decode(await message.download("terms.txt"))).toBe("The terms");
  await expectMessage(message).toMatchMailSnapshot();
});

test("one sign-up sends one mail", async () => {
  await signUp(mail.inbox.address, mail.service.smtp);
  await mail.inbox.expectExactly(1, {}, { settle: 200 });
});

test("nothing is sent without a sign-up", async () => {
  await mail.inbox.expectNone({}, { timeout: 200 });
});
