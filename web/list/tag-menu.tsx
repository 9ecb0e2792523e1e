import { Menu } from "@base-ui/react/menu";
import { clsx } from "clsx";
import { Check } from "lucide-react";
import type { ReactElement, RefObject } from "react";
import { useTags } from "../api/marks.ts";
import { operatorTerm } from "../navigation/mail-query.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import layout from "../shared/layout.module.css";
import menuStyles from "../shared/menu.module.css";
import { strings } from "../strings.ts";
import type { FilterProps } from "./filter-bar.tsx";
import { hasTerm, toggleTerm } from "./filter-terms.ts";
import styles from "./list.module.css";

/** Menu of the tags of a server with their numbers of messages; each adds itself to the search, or removes itself. */
export function TagMenu(
  props: FilterProps & {
    /** The button that opens the menu and gets the focus back. */
    readonly anchorRef: RefObject<HTMLButtonElement | null>;
    /** Element that the menu is rendered into. */
    readonly containerRef: RefObject<HTMLElement | null>;
    readonly onClose: () => void;
  },
): ReactElement {
  const { server, query, onSearch, anchorRef, containerRef, onClose } = props;
  const { data: tags, error, refetch } = useTags(server);
  return (
    <Menu.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Menu.Portal container={containerRef}>
        <Menu.Positioner
          className={menuStyles.positioner}
          anchor={anchorRef}
          align="start"
          sideOffset={4}
          positionMethod="fixed"
        >
          <Menu.Popup
            className={clsx(menuStyles.menu, styles.tagMenu)}
            aria-label={strings.filters.tags}
            finalFocus={anchorRef}
          >
            {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
            {error === null && tags === undefined && <p className={styles.tagNote}>{strings.loading}</p>}
            {tags?.length === 0 && <p className={styles.tagNote}>{strings.filters.noTags}</p>}
            {tags?.map(({ tag, count }) => {
              const term = operatorTerm("tag", tag);
              return (
                <Menu.CheckboxItem
                  key={tag}
                  className={menuStyles.item}
                  aria-label={strings.filters.tag(tag, count)}
                  checked={hasTerm(query, term)}
                  closeOnClick
                  onCheckedChange={() => onSearch(toggleTerm(query, term))}
                >
                  <span className={layout.clip}>{tag}</span>
                  <span className={clsx(layout.faint, layout.push)}>{count.toLocaleString("en")}</span>
                  <Menu.CheckboxItemIndicator keepMounted className={styles.tagCheck}>
                    <Check size={14} aria-hidden />
                  </Menu.CheckboxItemIndicator>
                </Menu.CheckboxItem>
              );
            })}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
