/** A menu behind a button, as the ARIA Authoring Practices have it: arrows move, Escape and a look elsewhere close. */
import { EllipsisVertical } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from "react";

/** One thing to do. */
export interface MenuItem {
  readonly name: string;
  readonly onSelect: () => void;
}

/** A button of that name with its things to do. */
export function Menu({ name, items }: { readonly name: string; readonly items: readonly MenuItem[] }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const id = useId();
  useOutside(ref, isOpen, () => {
    setOpen(false);
  });
  useEffect(() => {
    if (isOpen) ref.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    ref.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
  };
  return (
    <div className="menu" ref={ref}>
      <button
        type="button"
        className="icon-button"
        aria-label={name}
        title={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <EllipsisVertical size={16} aria-hidden />
      </button>
      {isOpen && (
        <div
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={name}
          className="menu-items"
          onKeyDown={(event) => {
            move(event, close);
          }}
        >
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function move(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.findIndex((item) => item === document.activeElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  if (event.key === "Tab") close();
  const isEscape = event.key === "Escape";
  const target = items[targets[event.key] ?? -1];
  if (!isEscape && target === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (isEscape) close();
  else target?.focus();
}

function useOutside(ref: { readonly current: HTMLElement | null }, isOpen: boolean, onOutside: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointer = (event: Event): void => {
      if (event.target instanceof Node && ref.current?.contains(event.target) === false) onOutside();
    };
    addEventListener("pointerdown", onPointer);
    return () => {
      removeEventListener("pointerdown", onPointer);
    };
  });
}
