import { render, screen } from "@testing-library/react";
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
