import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { deleteMessages, deleteResults } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { hasCriteria, type MailQuery } from "../navigation/mail-query.ts";
import { ConfirmDialog } from "../shared/form.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import { boundedQuery } from "./filter-terms.ts";
import type { SelectedResults } from "./use-selection.ts";

/** Dialog that deletes all results of a query, without undo; messages that arrive meanwhile are kept. */
export function DeleteResultsDialog(props: {
  readonly server: string;
  readonly query: MailQuery;
  readonly ids: readonly string[];
  readonly results: SelectedResults;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { server, query, ids, results, onDeleted, onClose } = props;
  const cache = useQueryClient();
  const [error, setError] = useState<Error | null>(null);
  const [tried, setTried] = useState(0);
  const remove = async (): Promise<void> => {
    setError(null);
    try {
      // Criteria of older links have no form as a query.
      if (hasCriteria(query)) {
        const { failed, reason } = await deleteMessages(server, ids, setTried);
        if (failed.length > 0) throw new Error(strings.list.notDeleted(failed.length, reason));
        showToast({ text: strings.list.deleted(ids.length) });
      } else {
        const deleted = await deleteResults(server, query.direction, boundedQuery(query, results.newestAt + 1));
        showToast({ text: strings.list.deleted(deleted) });
      }
      onDeleted();
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)));
    }
    await cache.invalidateQueries({ queryKey: queryKeys.serverMessages(server) });
  };
  return (
    <ConfirmDialog
      title={strings.selection.deleteTitle(ids.length)}
      lead={tried > 0 ? strings.list.deleting(tried, ids.length) : strings.selection.deleteLead(ids.length)}
      label={strings.list.delete}
      action={{ error, mutate: () => void remove() }}
      input={undefined}
      onClose={onClose}
    />
  );
}
