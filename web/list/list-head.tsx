import { CheckCheck, PenLine, Trash2, X } from "lucide-react";
import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { strings } from "../strings.ts";
import type { MessageList } from "./use-message-list.ts";
import type { Selection } from "./use-selection.ts";

/** The line above the rows: how many there are, or what can be done with those that are selected. */
export function ListHead(props: {
  readonly list: MessageList;
  readonly selection: Selection;
  readonly onDelete: () => void;
  readonly onReadAll: () => void;
  readonly composeHref: string;
}): ReactElement {
  const { list, selection, onDelete, onReadAll, composeHref } = props;
  if (selection.ids.size > 0) return <SelectionHead selection={selection} onDelete={onDelete} />;
  const count = list.isOpenEnded ? strings.list.countAtLeast : strings.list.count;
  return (
    <div className="list-head">
      <span role="status">
        {list.isPending ? strings.loading : count(list.isOpenEnded ? list.count - 1 : list.count)}
      </span>
      <Link className="button quiet push" href={composeHref}>
        <PenLine size={14} aria-hidden />
        {strings.shell.compose}
      </Link>
      <button
        type="button"
        className="icon-button"
        aria-label={strings.list.unreadAll}
        title={strings.list.unreadAll}
        onClick={onReadAll}
      >
        <CheckCheck size={15} aria-hidden />
      </button>
    </div>
  );
}

function SelectionHead(props: { readonly selection: Selection; readonly onDelete: () => void }): ReactElement {
  const { selection, onDelete } = props;
  return (
    <div className="list-head">
      <div className="selection">
        <span role="status">{strings.list.selected(selection.ids.size)}</span>
        <button type="button" className="button danger" onClick={onDelete}>
          <Trash2 size={14} aria-hidden />
          {strings.list.delete}
        </button>
        <button
          type="button"
          className="icon-button push"
          aria-label={strings.list.selectNone}
          title={strings.list.selectNone}
          onClick={selection.clear}
        >
          <X size={15} aria-hidden />
        </button>
      </div>
    </div>
  );
}
