import { render, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { describe, expect, test } from "vitest";
import { PageFrame } from "./page.tsx";

describe("takeLostFocus", () => {
  test("focuses the content of a page after the focused element has left with the former page", () => {
    dispatchEvent(new Event("keydown"));
    const { rerender } = render(
      <PageFrame key="former">
        <button type="button">Open</button>
      </PageFrame>,
    );
    screen.getByRole("button").focus();
    rerender(<PageFrame key="next" />);
    expect(document.activeElement).toBe(screen.getByRole("main"));
    expect(screen.getByRole("main").dataset["quiet"]).toBe("");
    screen.getByRole("main").blur();
    expect(screen.getByRole("main").dataset["quiet"]).toBeUndefined();
  });

  test("leaves the focus to an element that stays", () => {
    const field = <input aria-label="To" />;
    const { rerender } = render(
      <>
        {field}
        <PageFrame key="loaded" />
      </>,
    );
    dispatchEvent(new Event("keydown"));
    screen.getByLabelText("To").focus();
    rerender(
      <>
        {field}
        <PageFrame key="next" />
      </>,
    );
    expect(document.activeElement).toBe(screen.getByLabelText("To"));
  });
});

/** A page with a table within an area that can have the focus, and a row that can be removed. */
function Table({ hasRow }: { readonly hasRow: boolean }): ReactElement {
  return (
    <PageFrame>
      <div tabIndex={-1} role="group">
        {hasRow && (
          <p>
            <button type="button">Delete</button>
          </p>
        )}
        <button type="button">New</button>
      </div>
      {hasRow && <button type="button">Copy</button>}
    </PageFrame>
  );
}

describe("an element that is removed while it has the focus", () => {
  test.each([
    ["the nearest area around it", "Delete", "group"],
    ["the content of the page when there is none", "Copy", "main"],
  ])("leaves the focus to %s", async (...[, name, area]) => {
    const { rerender } = render(<Table hasRow />);
    screen.getByRole("button", { name }).focus();
    rerender(<Table hasRow={false} />);
    await waitForFocus(area);
    expect(screen.getByRole(area).dataset["quiet"]).toBe("");
  });

  test("leaves the focus to the area around it also when its use disabled it before", async () => {
    const { rerender } = render(<Table hasRow />);
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Delete" });
    button.focus();
    // A browser takes the focus from a disabled element; jsdom leaves it.
    button.disabled = true;
    button.blur();
    await Promise.resolve();
    rerender(<Table hasRow={false} />);
    await waitForFocus("group");
  });

  test("leaves the focus to another element that has it", async () => {
    const { rerender } = render(<Table hasRow />);
    screen.getByRole("button", { name: "Delete" }).focus();
    screen.getByRole("button", { name: "New" }).focus();
    rerender(<Table hasRow={false} />);
    await mutationsObserved();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "New" }));
  });

  test("leaves the focus on no element when the user has left it", async () => {
    const { rerender } = render(<Table hasRow />);
    screen.getByRole("button", { name: "Delete" }).focus();
    screen.getByRole("button", { name: "Delete" }).blur();
    await Promise.resolve();
    rerender(<Table hasRow={false} />);
    await mutationsObserved();
    expect(document.activeElement).toBe(document.body);
  });
});

async function waitForFocus(role: string): Promise<void> {
  await waitFor(() => {
    expect(document.activeElement).toBe(screen.getByRole(role));
  });
}

/** Resolves after the callbacks of observers that were created before. */
async function mutationsObserved(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  new MutationObserver(() => resolve()).observe(document, { childList: true, subtree: true });
  document.body.append(document.createElement("p"));
  await promise;
}
