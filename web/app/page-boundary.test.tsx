import { render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { PageBoundary } from "./page-boundary.tsx";

test("renders another address anew", () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const Broken = (): ReactElement => {
    throw new Error("no");
  };
  const { rerender } = render(
    <PageBoundary address="/a">
      <Broken />
    </PageBoundary>,
  );
  screen.getByRole("heading", { name: "This page could not be shown" });
  rerender(
    <PageBoundary address="/b">
      <p>Another</p>
    </PageBoundary>,
  );
  screen.getByText("Another");
  logged.mockRestore();
});

test("shows why a page could not be rendered, and renders it again", async () => {
  // React logs the error too.
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let isBroken = true;
  const Broken = (): ReactElement => {
    if (isBroken) throw new Error("headers is undefined");
    return <p>Whole</p>;
  };
  const { user } = renderUi(
    <PageBoundary address="/">
      <Broken />
    </PageBoundary>,
    {},
  );
  screen.getByRole("heading", { name: "This page could not be shown" });
  screen.getByText("An error in the page: headers is undefined");
  isBroken = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  screen.getByText("Whole");
  expect(logged).toHaveBeenCalled();
  logged.mockRestore();
});
