import { Pencil, Trash2 } from "lucide-react";
import { useState, type ReactElement } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useDeleteSavedSearch, useSavedSearches, useSaveSearch } from "../api/searches.ts";
import { Button, IconButton } from "../shared/button.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Field } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { SavedSearch } from "../wire.ts";
import styles from "./list.module.css";

const labels = strings.list.saved;
const nameLengthMax = 100;

/** Dialog that saves the current search, and opens, renames and deletes the saved searches of a server. */
export function SavedSearchesDialog(props: {
  readonly server: string;
  /** Current query; "" for none. */
  readonly q: string;
  readonly onOpen: (q: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { server, q, onOpen, onClose } = props;
  const { data: searches, error, refetch } = useSavedSearches(server);
  const save = useSaveSearch(server);
  const remove = useDeleteSavedSearch(server);
  const { canManage } = usePermissions();
  const failure = save.error ?? remove.error;
  return (
    <Dialog title={labels.title} onClose={onClose}>
      {q !== "" && canManage && (
        <NameForm
          key={q}
          label={labels.saveAs}
          name=""
          isPending={save.isPending}
          onSave={(name) => save.mutate({ name, q })}
        />
      )}
      {failure !== null && <ErrorNotice error={failure} />}
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {searches?.length === 0 && <p className={layout.soft}>{labels.none}</p>}
      <ul className={styles.savedSearches}>
        {searches?.map((search) => (
          <SavedItem
            key={search.name}
            search={search}
            canManage={canManage}
            isPending={save.isPending}
            onOpen={onOpen}
            onRename={(name, onRenamed) =>
              save.mutate({ name, q: search.q, former: search.name }, { onSuccess: onRenamed })
            }
            onDelete={() => remove.mutate(search.name)}
          />
        ))}
      </ul>
    </Dialog>
  );
}

function SavedItem(props: {
  readonly search: SavedSearch;
  /** Whether the key may rename and delete it. */
  readonly canManage: boolean;
  readonly isPending: boolean;
  readonly onOpen: (q: string) => void;
  readonly onRename: (name: string, onRenamed: () => void) => void;
  readonly onDelete: () => void;
}): ReactElement {
  const { name, q } = props.search;
  const [isRenaming, setRenaming] = useState(false);
  if (isRenaming) {
    return (
      <li className={layout.row}>
        <NameForm
          label={labels.name}
          name={name}
          isPending={props.isPending}
          onSave={(given) => {
            props.onRename(given, () => setRenaming(false));
          }}
        />
      </li>
    );
  }
  return (
    <li className={layout.row}>
      <button type="button" className={styles.savedSearch} onClick={() => props.onOpen(q)}>
        <b className={layout.clip}>{name}</b>
        <code className={layout.clip}>{q}</code>
      </button>
      {props.canManage && (
        <>
          <IconButton name={labels.rename(name)} icon={Pencil} onClick={() => setRenaming(true)} />
          <IconButton name={labels.delete(name)} icon={Trash2} onClick={props.onDelete} />
        </>
      )}
    </li>
  );
}

function NameForm(props: {
  readonly label: string;
  readonly name: string;
  readonly isPending: boolean;
  readonly onSave: (name: string) => void;
}): ReactElement {
  const [name, setName] = useState(props.name);
  return (
    <Form className={styles.nameForm} onSubmit={() => props.onSave(name.trim())}>
      <Field label={props.label} required maxLength={nameLengthMax} value={name} onChange={setName} />
      <Button variant="primary" type="submit" disabled={props.isPending || name.trim() === ""}>
        {labels.save}
      </Button>
    </Form>
  );
}
