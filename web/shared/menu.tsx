import { Menu as BaseMenu } from "@base-ui/react/menu";
import { EllipsisVertical } from "lucide-react";
import { useRef, type ReactElement } from "react";
import { IconButton } from "./button.tsx";
import styles from "./menu.module.css";

/** One action of a menu. */
export interface MenuItem {
  readonly name: string;
  readonly onSelect: () => void;
}

/** A menu behind an icon button with that name. */
export function Menu({ name, items }: { readonly name: string; readonly items: readonly MenuItem[] }): ReactElement {
  // The popup is rendered beside its button instead of at the end of the page, so that it is within a landmark.
  const container = useRef<HTMLDivElement>(null);
  return (
    <div ref={container}>
      <BaseMenu.Root>
        <BaseMenu.Trigger render={<IconButton name={name} icon={EllipsisVertical} />} />
        <BaseMenu.Portal container={container}>
          <BaseMenu.Positioner className={styles.positioner} align="end" sideOffset={4} positionMethod="fixed">
            <BaseMenu.Popup className={styles.menu}>
              {items.map((item) => (
                <BaseMenu.Item key={item.name} className={styles.item} onClick={item.onSelect}>
                  {item.name}
                </BaseMenu.Item>
              ))}
            </BaseMenu.Popup>
          </BaseMenu.Positioner>
        </BaseMenu.Portal>
      </BaseMenu.Root>
    </div>
  );
}
