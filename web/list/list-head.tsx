import { clsx } from "clsx";
import { CheckCheck, PenLine, Trash2, X } from "lucide-react";
import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { Button, buttonClass } from "../shared/button.tsx";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import type { MessageList } from "./use-message-list.ts";
import type { Selection } from "./use-selection.ts";

/** Line above the rows: the message count, or actions for the selected messages. */
export function ListHead(props: {
  readonly list: MessageList;
  readonly selection: Selection;
  readonly onDelete: () => void;
  /** Whether the key of the session may change marks. */
  readonly canMark: boolean;
  readonly onReadAll: () => void;
  readonly composeHref: string;
}): ReactElement {
  const { list, selection, onDelete, canMark, onReadAll, composeHref } = props;
  if (selection.ids.size > 0) return <SelectionHead selection={selection} onDelete={onDelete} />;
  const count = list.isOpenEnded ? strings.list.countAtLeast : strings.list.count;
  return (
    <div className={styles.listHead}>
      <span role="status">{list.isPending ? strings.loading : count(list.knownCount)}</span>
      <Link className={clsx(buttonClass("quiet"), layout.push)} href={composeHref}>
        <PenLine size={14} aria-hidden />
        {strings.shell.compose}
      </Link>
      {canMark && <IconButton name={strings.list.unreadAll} icon={CheckCheck} onClick={onReadAll} />}
    </div>
  );
}

function SelectionHead(props: { readonly selection: Selection; readonly onDelete: () => void }): ReactElement {
  const { selection, onDelete } = props;
  return (
    <div className={styles.listHead}>
      <div className={styles.selection}>
        <span role="status">{strings.list.selected(selection.ids.size)}</span>
        <Button variant="danger" onClick={onDelete}>
          <Trash2 size={14} aria-hidden />
          {strings.list.delete}
        </Button>
        <IconButton name={strings.list.selectNone} icon={X} className={layout.push} onClick={selection.clear} />
      </div>
    </div>
  );
}
