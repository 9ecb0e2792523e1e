import { render, screen } from "@testing-library/react";
import { Suspense, type ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { lazyComponent } from "./lazy-component.ts";

function Loaded(): ReactElement {
  return <p>Loaded</p>;
}

test("keeps the page and tries again when the code of a component cannot be loaded", async () => {
  vi.spyOn(console, "warn").mockReturnValue(undefined);
  const load = vi.fn(async () => Loaded).mockRejectedValueOnce(new TypeError("Failed to fetch"));
  const Late = lazyComponent(load);
  render(
    <>
      <p>Page</p>
      <Suspense>
        <Late />
      </Suspense>
    </>,
  );
  screen.getByText("Page");
  await screen.findByText("Loaded");
  expect(load).toHaveBeenCalledTimes(2);
  vi.restoreAllMocks();
});
