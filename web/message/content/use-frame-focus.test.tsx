import { fireEvent, render, screen } from "@testing-library/react";
import { useRef, type ReactElement } from "react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useFrameFocus } from "./mail-stage.tsx";

function Stage(): ReactElement {
  const ref = useRef<HTMLDivElement>(null);
  useFrameFocus(ref);
  return (
    <div ref={ref} tabIndex={-1} role="group">
      <iframe title="Email" sandbox="" />
    </div>
  );
}

/** Focuses the frame, as the browser does: the page learns only that its window has lost the focus. */
function enterFrame(): void {
  screen.getByTitle("Email").focus();
  fireEvent.blur(globalThis as unknown as Window);
  vi.runAllTimers();
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe("useFrameFocus", () => {
  test("returns the focus to the stage after a click into the frame", () => {
    render(<Stage />);
    fireEvent.pointerOver(screen.getByTitle("Email"));
    enterFrame();
    expect(document.activeElement).toBe(screen.getByRole("group"));
  });

  test("leaves the focus in a frame that is reached by the Tab key, also with the mouse at rest over it", () => {
    render(<Stage />);
    fireEvent.pointerOver(screen.getByTitle("Email"));
    fireEvent.keyDown(document.body, { key: "Tab" });
    enterFrame();
    expect(document.activeElement).toBe(screen.getByTitle("Email"));
  });

  test("returns the focus after a click that follows a Tab key within the page", () => {
    render(<Stage />);
    fireEvent.pointerOver(screen.getByTitle("Email"));
    fireEvent.keyDown(document.body, { key: "Tab" });
    fireEvent.keyUp(document.body, { key: "Tab" });
    enterFrame();
    expect(document.activeElement).toBe(screen.getByRole("group"));
  });
});
