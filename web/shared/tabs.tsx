import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import { clsx } from "clsx";
import { useEffect, useRef, type ReactElement, type ReactNode } from "react";
import styles from "./tabs.module.css";

/** One tab. */
export interface TabItem<Name extends string> {
  readonly name: Name;
  readonly text: string;
  /** Shown behind the text; 0 is not shown. */
  readonly count?: number;
  /** Whether `count` is a lower bound. */
  readonly isAtLeast?: boolean;
  /** Short text in a badge behind the name; null draws the badge without one, in the same width. */
  readonly note?: string | null;
  /** Tooltip of the badge. */
  readonly noteHint?: string;
}

/** A row of tabs with the panel of the selected one. Arrow keys select. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly items: readonly TabItem<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  readonly className?: string | undefined;
  readonly listClassName?: string | undefined;
  readonly panelClassName?: string | undefined;
  /** Content of the panel. */
  readonly children: ReactNode;
}): ReactElement {
  const { label, items, selected, onSelect, className, listClassName, panelClassName } = props;
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (ref.current !== null) scrollToSelected(ref.current);
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- the DOM follows `selected`
  }, [selected]);
  return (
    <BaseTabs.Root className={className} value={selected} onValueChange={(name: Name) => onSelect(name)}>
      <BaseTabs.List ref={ref} activateOnFocus aria-label={label} className={clsx(styles.tabs, listClassName)}>
        {items.map(({ name, text, count = 0, isAtLeast = false, note, noteHint }) => (
          <BaseTabs.Tab key={name} value={name} className={styles.tab}>
            {text}
            {count > 0 && <span className={styles.count}>{count.toLocaleString("en") + (isAtLeast ? "+" : "")}</span>}
            {note !== undefined && (
              <span className={styles.note} title={noteHint} aria-hidden={note === null}>
                {note ?? "–"}
              </span>
            )}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      <BaseTabs.Panel key={selected} value={selected} className={panelClassName}>
        {props.children}
      </BaseTabs.Panel>
    </BaseTabs.Root>
  );
}

/** Scrolls the list sideways to its selected tab; the page around it stays where it is. */
function scrollToSelected(list: HTMLElement): void {
  const tab = list.querySelector<HTMLElement>("[aria-selected=true]");
  if (tab === null) return;
  const start = tab.offsetLeft - list.offsetLeft;
  const end = start + tab.offsetWidth;
  if (start < list.scrollLeft) list.scrollLeft = start;
  else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
}
