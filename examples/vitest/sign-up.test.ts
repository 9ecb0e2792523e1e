import { expect, test } from "restante/vitest";
import { signUp } from "./shop.ts";

test("a new user gets a code, a link and the terms", async ({ inbox, restante }) => {
  await signUp(inbox.address, restante.smtp);

  const message = await inbox.waitForOne({ subject: "Confirm" }, { timeout: 4000 });
  expect(message).toHaveCode("804219");
  expect(message).not.toHaveCode("111111");
  expect(message.link("Confirm")).toBe("https://shop.example/confirm?t=1");
  expect(new TextDecoder().decode(await message.download("terms.txt"))).toBe("The terms");
  await expect(message).toMatchMailSnapshot();
});

test("one sign-up sends one mail", async ({ inbox, restante }) => {
  await signUp(inbox.address, restante.smtp);
  await inbox.expectExactly(1, {}, { settle: 200 });
});

test("nothing is sent without a sign-up", async ({ inbox }) => {
  await inbox.expectNone({}, { timeout: 200 });
});
