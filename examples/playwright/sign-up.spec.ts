import { expect, test } from "./fixtures.ts";

test("a new user confirms the address", async ({ page, app, inbox }) => {
  await page.goto(app);
  await page.getByLabel("Email").fill(inbox.address);
  await page.getByRole("button", { name: "Sign up" }).click();

  const message = await inbox.waitForOne({ subject: "Confirm" });
  expect(message).toHaveCode("804219");
  expect(message).toHaveLink("Confirm");
  await expect(message).toMatchMailSnapshot();
  await page.goto(message.link("Confirm"));
  await expect(page.getByRole("heading")).toHaveText("Confirmed");
});

test("one sign-up sends one mail", async ({ request, app, inbox }) => {
  await request.get(`${app}/sign-up`, { params: { email: inbox.address } });
  await inbox.expectExactly(1);
});

test("nothing is sent without a sign-up", async ({ inbox }) => {
  await inbox.expectNone({}, { timeout: 200 });
});
