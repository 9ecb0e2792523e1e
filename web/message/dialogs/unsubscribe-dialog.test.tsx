import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderUi } from "../../testing/render-ui.tsx";
import { message } from "../../testing/samples.ts";
import { MoreTools } from "../message-tools.tsx";

const headers = [{ field: "List-Unsubscribe", value: "<https://app.example/u>" }];
const { metadata } = message();

/** Opens the menu, which replaces a disabled button once it is loaded. */
async function openMenu(user: ReturnType<typeof renderUi>["user"]): Promise<void> {
  const more = (): HTMLButtonElement => screen.getByRole("button", { name: "Actions" });
  await expect.poll(() => more().disabled).toBe(false);
  await user.click(more());
}

test("sends the one-click request, and shows the verdict with its checks", async () => {
  const report = {
    ok: false,
    url: "https://app.example/u",
    mailto: [],
    dkim: "none",
    checks: [
      { name: "https", result: "pass", text: "The URL uses HTTPS." },
      { name: "response", result: "fail", text: "The status is 404." },
    ],
    response: { status: 404, durationMs: 12.4 },
  };
  const { user, requests } = renderUi(
    <MoreTools server="shop1234" onClose={() => {}} message={message({ metadata: { ...metadata, headers } })} />,
    {
      "POST /api/messages/m1/unsubscribe": report,
    },
  );
  await openMenu(user);
  await user.click(await screen.findByRole("menuitem", { name: "Unsubscribe…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Unsubscribe" }));
  await user.click(dialog.getByRole("checkbox"));
  await user.click(dialog.getByRole("button", { name: "Unsubscribe" }));
  await dialog.findByText("A check failed.");
  for (const text of ["Status 404 after 12 ms", "The status is 404.", "Failed", "Passed"]) dialog.getByText(text);
  expect(requests).toEqual(['POST /api/messages/m1/unsubscribe {"requireDkim":true}']);
});

test("is offered only for a mail with List-Unsubscribe", async () => {
  const { user } = renderUi(
    <MoreTools server="shop1234" onClose={() => {}} message={message({ metadata: { ...metadata, headers: [] } })} />,
    {},
  );
  await openMenu(user);
  await screen.findByRole("menuitem", { name: "Bounce…" });
  expect(screen.queryByRole("menuitem", { name: "Unsubscribe…" })).toBeNull();
});
