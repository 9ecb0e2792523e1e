import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { accountSession, message } from "../testing/samples.ts";
import { TestView } from "./test-view.tsx";

test("remembers the selected framework", async () => {
  const view = <TestView message={message()} session={accountSession} />;
  const { user } = renderUi(view, {});
  screen.getByRole("tab", { name: "Playwright", selected: true });
  await user.click(screen.getByRole("tab", { name: "pytest" }));
  renderUi(view, {});
  expect(screen.getAllByRole("tab", { name: "pytest", selected: true })).toHaveLength(2);
});
