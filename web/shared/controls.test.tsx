import { screen, waitFor } from "@testing-library/react";
import { useState, type ReactElement } from "react";
import { describe, expect, test, vi } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Menu } from "./menu.tsx";
import { Tabs } from "./tabs.tsx";
import { showToast } from "./toast.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

function TabsExample(): ReactElement {
  const [selected, setSelected] = useState<"a" | "b">("a");
  return (
    <Tabs
      label="Example"
      items={[
        { name: "a", text: "First" },
        { name: "b", text: "Second", count: 2 },
      ]}
      selected={selected}
      onSelect={setSelected}
    >
      Content of {selected}
    </Tabs>
  );
}

describe("Tabs", () => {
  test("select by arrow keys and label their panel", async () => {
    const { user } = renderUi(<TabsExample />, {});
    await user.click(screen.getByRole("tab", { name: "First" }));
    await user.keyboard("{ArrowRight}");
    const panel = await screen.findByRole("tabpanel", { name: /Second/ });
    expect(panel.textContent).toBe("Content of b");
    expect(screen.getByRole("tab", { selected: true }).textContent).toBe("Second2");
  });
});

function DialogExample(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <Dialog title="Question" onClose={() => setOpen(false)}>
          <form>
            <input aria-label="Answer" />
          </form>
        </Dialog>
      )}
    </>
  );
}

describe("Dialog", () => {
  test("focuses its first field, closes on Escape and returns the focus to the opener", async () => {
    const { user } = renderUi(<DialogExample />, {});
    await user.click(screen.getByRole("button", { name: "Open" }));
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Answer" }));
    });
    await user.keyboard("{Escape}");
    await waitFor(() => {
      expect(screen.queryByRole("dialog")).toBeNull();
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" }));
    });
  });
});

/** A page whose first control is a text field, with a dialog that a shortcut opens. */
function PageExample(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ f: () => setOpen(true) });
  return (
    <main id="content" tabIndex={-1}>
      <input aria-label="Search" />
      <article tabIndex={-1}>
        <button type="button">Reply</button>
      </article>
      {isOpen && (
        <Dialog title="Question" onClose={() => setOpen(false)}>
          <form>
            <input aria-label="Answer" />
          </form>
        </Dialog>
      )}
    </main>
  );
}

describe("Dialog that a shortcut opens", () => {
  test.each([
    ["the page", "MAIN", "main"],
    ["a message", "ARTICLE", "article"],
    ["no element", "MAIN", null],
  ])("returns the focus to %s, so that the same shortcut opens it again", async (...[, returned, focused]) => {
    const { user } = renderUi(<PageExample />, {});
    if (focused !== null) document.querySelector<HTMLElement>(focused)?.focus();
    for (let times = 0; times < 2; times += 1) {
      await user.keyboard("f");
      await waitFor(() => {
        expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Answer" }));
      });
      await user.keyboard("{Escape}");
      await waitFor(() => {
        expect(screen.queryByRole("dialog")).toBeNull();
        expect(document.activeElement?.tagName).toBe(returned);
      });
    }
  });

  test.each(["main", "article", "article button"])(
    "opens again by the key after the one that closes it, from %s",
    async (opener) => {
      const { user } = renderUi(<PageExample />, {});
      document.querySelector<HTMLElement>(opener)?.focus();
      await user.keyboard("f");
      const answer = await screen.findByRole("textbox", { name: "Answer" });
      await waitFor(() => {
        expect(document.activeElement).toBe(answer);
      });
      await user.keyboard("{Escape}f");
      await waitFor(() => {
        const reopened = screen.getByRole("textbox", { name: "Answer" });
        expect(reopened).not.toBe(answer);
        expect(document.activeElement).toBe(reopened);
      });
    },
  );
});

describe("Menu", () => {
  test("opens by keyboard and runs the selected action", async () => {
    const onSelect = vi.fn<() => void>();
    const items = [
      { name: "One", onSelect: vi.fn<() => void>() },
      { name: "Two", onSelect },
    ];
    const { user } = renderUi(<Menu name="More" items={items} />, {});
    screen.getByRole("button", { name: "More" }).focus();
    await user.keyboard("{Enter}");
    await screen.findByRole("menuitem", { name: "One" });
    await user.keyboard("{End}{Enter}");
    await waitFor(() => {
      expect(onSelect).toHaveBeenCalledOnce();
      expect(screen.queryByRole("menu")).toBeNull();
    });
  });
});

describe("showToast", () => {
  test("shows a toast with its action until it is hidden, and does not count as a dialog", async () => {
    const run = vi.fn<() => void>();
    const { user } = renderUi(<p>Page</p>, {});
    const hide = showToast({ text: "Deleted", durationMs: 0, action: { label: "Undo", run } });
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(run).toHaveBeenCalledOnce();
    expect(screen.queryByRole("dialog")).toBeNull();
    hide();
    await waitFor(() => {
      expect(screen.queryByText("Deleted")).toBeNull();
    });
  });
});

function ShortcutExample(props: { readonly onKey: () => void }): ReactElement {
  useShortcuts({ j: props.onKey });
  return <input aria-label="Field" />;
}

function SequenceExample(props: { readonly onKey: (keys: string) => void }): ReactElement {
  useShortcuts({ s: () => props.onKey("s") });
  useShortcuts({ "g s": () => props.onKey("g s"), x: () => false });
  return <p>Page</p>;
}

describe("useShortcuts", () => {
  test("ignores keys in input fields and with modifiers", async () => {
    const onKey = vi.fn<() => void>();
    const { user } = renderUi(<ShortcutExample onKey={onKey} />, {});
    await user.keyboard("j");
    await user.keyboard("{Control>}j{/Control}");
    await user.type(screen.getByRole("textbox"), "j");
    expect(onKey).toHaveBeenCalledOnce();
  });

  test("tells a key from the same key after another, also of another component", async () => {
    const pressed: string[] = [];
    const { user } = renderUi(<SequenceExample onKey={(keys) => pressed.push(keys)} />, {});
    await user.keyboard("gssgxs");
    expect(pressed).toEqual(["g s", "s", "s"]);
  });
});

describe("Form", () => {
  test("submits on Ctrl + Enter in a text area", async () => {
    const onSubmit = vi.fn<() => void>();
    const { user } = renderUi(
      <Form onSubmit={onSubmit}>
        <textarea aria-label="Text" />
      </Form>,
      {},
    );
    await user.type(screen.getByRole("textbox"), "a{Enter}b{Control>}{Enter}{/Control}");
    expect(onSubmit).toHaveBeenCalledOnce();
  });
});

describe("CopyButton", () => {
  test("copies without a clipboard API, as in insecure contexts, and confirms", async () => {
    const { user } = renderUi(<CopyButton text="804219" name="code" />, {});
    vi.spyOn(navigator, "clipboard", "get").mockReturnValue(undefined as never);
    let copied = "";
    // oxlint-disable-next-line typescript/no-deprecated -- insecure contexts have no other API
    document.execCommand = () => {
      copied = document.querySelector("textarea")?.value ?? "";
      return true;
    };
    await user.click(screen.getByRole("button", { name: "Copy code" }));
    await screen.findByText("Copied");
    expect(copied).toBe("804219");
  });
});
