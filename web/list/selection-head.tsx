import { clsx } from "clsx";
import { Languages, Mail, MailOpen, Star, Tag, Trash2, X } from "lucide-react";
import { useState, type ReactElement } from "react";
import { readResults } from "../api/messages.ts";
import type { MarkActions } from "../marks/use-mark-actions.ts";
import { navigate } from "../navigation/location.tsx";
import type { MailQuery } from "../navigation/mail-query.ts";
import { comparedMailsMax, translationPath } from "../navigation/translation-query.ts";
import { Button, IconButton } from "../shared/button.tsx";
import fieldStyles from "../shared/field.module.css";
import { errorText } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { lazyPart } from "../shared/lazy-component.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import styles from "./list.module.css";
import type { MessageList } from "./use-message-list.ts";
import type { Selection } from "./use-selection.ts";

const TagsDialog = lazyPart(async () => (await import("../marks/tags-dialog.tsx")).TagsDialog);
const DeleteResultsDialog = lazyPart(async () => (await import("./delete-results-dialog.tsx")).DeleteResultsDialog);

/** Props of {@link SelectionHead}. */
export interface SelectionHeadProps {
  readonly server: string;
  readonly query: MailQuery;
  readonly list: MessageList;
  readonly selection: Selection;
  readonly marks: MarkActions;
  /** Deletes the selected messages, with undo. */
  readonly onDelete: () => void;
}

/** Actions for the selected messages, and the selection of all results. */
export function SelectionHead(props: SelectionHeadProps): ReactElement {
  const { server, query, selection, marks, onDelete } = props;
  const [dialog, setDialog] = useState<"tags" | "delete" | null>(null);
  const ids = [...selection.ids];
  const close = (): void => setDialog(null);
  return (
    <div className={styles.selection}>
      <span role="status">{strings.list.selected(ids.length)}</span>
      <SelectResults {...props} />
      <MarkButtons ids={ids} marks={marks} onTags={() => setDialog("tags")} />
      {ids.length > 1 && ids.length <= comparedMailsMax && (
        <IconButton
          name={strings.selection.translations}
          icon={Languages}
          onClick={() => {
            const mails = ids.map((id) => ({ id, locale: "" }));
            navigate(translationPath(server, { mails, original: "", keep: [] }));
          }}
        />
      )}
      <Button
        variant="danger"
        onClick={() => {
          if (selection.results === null) onDelete();
          else setDialog("delete");
        }}
      >
        <Trash2 size={14} aria-hidden />
        {strings.list.delete}
      </Button>
      <IconButton name={strings.list.selectNone} icon={X} className={layout.push} onClick={selection.clear} />
      {dialog === "tags" && <TagsDialog server={server} ids={ids} actions={marks} onClose={close} />}
      {dialog === "delete" && selection.results !== null && (
        <DeleteResultsDialog
          {...{ server, query, ids, results: selection.results }}
          onClose={close}
          onDeleted={() => {
            close();
            selection.clear();
          }}
        />
      )}
    </div>
  );
}

/** Button that selects all results instead of the loaded ones. */
function SelectResults({ server, query, list, selection }: SelectionHeadProps): ReactElement | null {
  const [isLoading, setLoading] = useState(false);
  const { results, ids } = selection;
  if (results !== null) return results.hasMore ? <span>{strings.selection.newest(ids.size)}</span> : null;
  if (!list.isOpenEnded && ids.size >= list.knownCount) return null;
  const select = async (): Promise<void> => {
    setLoading(true);
    try {
      const found = await readResults(server, query);
      selection.select(found.ids, found);
    } catch (error) {
      showToast({ text: strings.selection.notLoaded(errorText(error)) });
    }
    setLoading(false);
  };
  return (
    <button
      type="button"
      className={clsx(fieldStyles.segment, styles.selectResults)}
      disabled={isLoading}
      onClick={() => void select()}
    >
      {list.isOpenEnded ? strings.selection.allResults : strings.selection.allOf(list.knownCount)}
    </button>
  );
}

function MarkButtons(props: {
  readonly ids: readonly string[];
  readonly marks: MarkActions;
  readonly onTags: () => void;
}): ReactElement {
  const { ids, marks, onTags } = props;
  return (
    <>
      <IconButton name={strings.selection.read} icon={MailOpen} onClick={() => marks.setRead(ids, true)} />
      <IconButton name={strings.selection.unread} icon={Mail} onClick={() => marks.setRead(ids, false)} />
      <IconButton name={strings.selection.star} icon={Star} onClick={() => marks.setStarred(ids, true)} />
      <IconButton name={strings.selection.tags} icon={Tag} onClick={onTags} />
    </>
  );
}
