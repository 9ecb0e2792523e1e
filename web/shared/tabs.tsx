/** Tabs as the ARIA Authoring Practices have them: one stop for Tab, arrows, Home and End between them. */
import { useEffect, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from "react";

/** One tab. */
export interface TabItem<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
}

/** A row (or, vertical, a column) of tabs for the panel with the id `panelId`. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly items: readonly TabItem<Name>[];
  readonly selected: Name;
  readonly panelId: string;
  readonly onSelect: (name: Name) => void;
  readonly isVertical?: boolean;
}): ReactElement {
  const { label, items, selected, panelId, onSelect, isVertical = false } = props;
  const ref = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = items.findIndex((item) => item.name === selected);
    const target = items[targetIndex(event.key, at, items.length)];
    if (target === undefined) return;
    event.preventDefault();
    onSelect(target.name);
    ref.current?.querySelector<HTMLElement>(`[data-name="${target.name}"]`)?.focus();
  };
  useEffect(() => {
    const tab = ref.current?.querySelector<HTMLElement>(`[data-name="${selected}"]`);
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected]);
  return (
    <div
      ref={ref}
      role="tablist"
      tabIndex={-1}
      aria-label={label}
      aria-orientation={isVertical ? "vertical" : "horizontal"}
      className={isVertical ? "stack-menu" : "tabs"}
      onKeyDown={move}
    >
      {items.map((item) => (
        <button
          key={item.name}
          type="button"
          role="tab"
          data-name={item.name}
          className={isVertical ? "view" : "tab"}
          aria-selected={item.name === selected}
          aria-controls={panelId}
          tabIndex={item.name === selected ? 0 : -1}
          onClick={() => {
            onSelect(item.name);
          }}
        >
          {item.label}
        </button>
      ))}
    </div>
  );
}

function targetIndex(key: string, at: number, count: number): number {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowLeft":
    case "ArrowUp":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}
