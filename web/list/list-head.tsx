import { clsx } from "clsx";
import { BellOff, BellRing, CheckCheck, PenLine, Trash2 } from "lucide-react";
import { type ReactElement, useState } from "react";
import { readResults } from "../api/messages.ts";
import { usePermissions } from "../api/permissions.ts";
import { Link } from "../navigation/location.tsx";
import { buttonClass, IconButton } from "../shared/button.tsx";
import fieldStyles from "../shared/field.module.css";
import layout from "../shared/layout.module.css";
import { lazyPart } from "../shared/lazy-component.ts";
import { useNotifications } from "../shared/notification-setting.ts";
import { showError, showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import { FilterBar } from "./filter-bar.tsx";
import styles from "./list.module.css";
import type { SelectionHeadProps } from "./selection-head.tsx";

const DeleteResultsDialog = lazyPart(async () => (await import("./delete-results-dialog.tsx")).DeleteResultsDialog);

const SelectionHead = lazyPart(async () => (await import("./selection-head.tsx")).SelectionHead);

/** Line above the rows: filters, the message count, or actions for the selected messages. */
export function ListHead(
  props: SelectionHeadProps & {
    readonly onSearch: (query: SelectionHeadProps["query"]) => void;
    readonly onReadAll: () => void;
    readonly composeHref: string;
  },
): ReactElement {
  const { list, server, query, onSearch, selection, marks, onReadAll, composeHref } = props;
  const { canSend, canManage } = usePermissions();
  const count = list.isOpenEnded ? strings.list.countAtLeast : strings.list.count;
  return (
    <div className={styles.listHead}>
      {marks.canMark && <SelectLoaded list={list} selection={selection} />}
      {selection.ids.size > 0 ? (
        <SelectionHead {...props} />
      ) : (
        <>
          <FilterBar server={server} query={query} onSearch={onSearch} />
          <span role="status">{list.isPending ? strings.loading : count(list.knownCount)}</span>
          {canSend && (
            <Link
              className={clsx(buttonClass("quiet"), layout.push)}
              href={composeHref}
              aria-label={strings.shell.compose}
            >
              <PenLine size={14} aria-hidden />
              <span className={styles.composeLabel}>{strings.shell.compose}</span>
            </Link>
          )}
          {marks.canMark && query.direction === "Received" && (
            <IconButton
              name={strings.list.unreadAll}
              icon={CheckCheck}
              disabled={list.count === 0}
              onClick={onReadAll}
            />
          )}
          {canManage && <DeleteAllButton server={server} query={query} isEmpty={list.count === 0} />}
          <NotificationButton />
        </>
      )}
    </div>
  );
}

/** Button that deletes all results of the list, after a confirmation with their number. */
function DeleteAllButton(props: {
  readonly server: string;
  readonly query: SelectionHeadProps["query"];
  readonly isEmpty: boolean;
}): ReactElement {
  const { server, query, isEmpty } = props;
  const [results, setResults] = useState<Awaited<ReturnType<typeof readResults>> | null>(null);
  const ask = async (): Promise<void> => {
    try {
      setResults(await readResults(server, query));
    } catch (error) {
      showError(error);
    }
  };
  const close = (): void => setResults(null);
  return (
    <>
      <IconButton name={strings.list.deleteAll} icon={Trash2} disabled={isEmpty} onClick={() => void ask()} />
      {results !== null && (
        <DeleteResultsDialog {...{ server, query, results, ids: results.ids }} onDeleted={close} onClose={close} />
      )}
    </>
  );
}

function NotificationButton(): ReactElement | null {
  const notifications = useNotifications();
  if (notifications === null) return null;
  const [state, switchState] = notifications;
  const { on, off, blocked, switchedOn } = strings.desktop;
  const onClick = async (): Promise<void> => {
    const next = await switchState();
    if (next !== "off") showToast({ text: next === "on" ? switchedOn : blocked });
  };
  return (
    <IconButton
      name={state === "on" ? on : off}
      icon={state === "on" ? BellRing : BellOff}
      onClick={() => void onClick()}
    />
  );
}

/** Checkbox that selects the loaded messages, or none. */
function SelectLoaded({ list, selection }: Pick<SelectionHeadProps, "list" | "selection">): ReactElement {
  const loaded = list.loadedIds();
  const isAll = loaded.length > 0 && selection.ids.size >= loaded.length;
  return (
    <label className={styles.selectLoaded} title={strings.selection.all}>
      <input
        type="checkbox"
        className={fieldStyles.checkbox}
        aria-label={strings.selection.all}
        disabled={loaded.length === 0}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = selection.ids.size > 0 && !isAll;
        }}
        onChange={() => {
          if (selection.ids.size > 0) selection.clear();
          else selection.select(loaded, null);
        }}
      />
    </label>
  );
}
