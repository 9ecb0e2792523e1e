import { clsx } from "clsx";
import { Tag, X } from "lucide-react";
import { useId, useState, type ReactElement } from "react";
import { useMessageMarks, useTags } from "../api/marks.ts";
import { Link } from "../navigation/location.tsx";
import { allReceived, formatMailQuery, operatorTerm, withTerms } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";
import chipStyles from "../shared/chip.module.css";
import fieldStyles from "../shared/field.module.css";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import styles from "./tags.module.css";
import { useMarkActions } from "./use-mark-actions.ts";

/** Tags of a message: links to the messages with the same tag, each with a button that removes it, and a field that adds others. */
export function TagEditor(props: { readonly server: string; readonly id: string }): ReactElement | null {
  const { server, id } = props;
  const tags = useMessageMarks(id)?.tags ?? [];
  const { canMark, changeTags } = useMarkActions(server);
  if (tags.length === 0 && !canMark) return null;
  return (
    <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={strings.marks.tags}>
      {tags.map((tag) => (
        <span key={tag} className={clsx(chipStyles.chip, !canMark && styles.fixed)}>
          <Link className={clsx(layout.clip, styles.tagLink)} href={tagHref(server, tag)}>
            {tag}
          </Link>
          {canMark && (
            <button
              type="button"
              aria-label={strings.marks.removeTag(tag)}
              onClick={() => changeTags([id], { removeTags: [tag] })}
            >
              <X size={13} aria-hidden />
            </button>
          )}
        </span>
      ))}
      {canMark && <TagField server={server} onAdd={(tag) => changeTags([id], { addTags: [tag] })} />}
    </div>
  );
}

/** Field for one tag, with the tags of the server as suggestions: Enter or the choice of a suggestion adds it. */
export function TagField(props: { readonly server: string; readonly onAdd: (tag: string) => void }): ReactElement {
  const { server, onAdd } = props;
  const [isUsed, setUsed] = useState(false);
  const { data: known = [] } = useTags(server, isUsed);
  const [text, setText] = useState("");
  const listId = useId();
  const add = (): void => {
    if (text.trim() !== "") onAdd(text.trim());
    setText("");
  };
  return (
    <form
      className={styles.tagForm}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Tag size={13} aria-hidden />
      <input
        className={clsx(fieldStyles.input, styles.tagInput)}
        aria-label={strings.marks.addTag}
        placeholder={strings.marks.addTag}
        list={listId}
        maxLength={100}
        autoComplete="off"
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => setText(event.target.value.replaceAll(",", ""))}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || text === "") return;
          event.stopPropagation();
          setText("");
        }}
      />
      <datalist id={listId}>
        {known.map(({ tag }) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </datalist>
    </form>
  );
}

/** Returns the address of the list of a server's messages with a tag. */
function tagHref(server: string, tag: string): string {
  return inboxPath(server) + formatMailQuery(withTerms(allReceived, operatorTerm("tag", tag)));
}
