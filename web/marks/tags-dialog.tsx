import { X } from "lucide-react";
import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useMarks } from "../api/mark-state.ts";
import { useTags } from "../api/marks.ts";
import chipStyles from "../shared/chip.module.css";
import { Dialog } from "../shared/dialog.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import { TagField } from "./tag-editor.tsx";
import type { MarkActions } from "./use-mark-actions.ts";

/** Dialog that adds tags to several messages and removes tags from them. */
export function TagsDialog(props: {
  readonly server: string;
  readonly ids: readonly string[];
  readonly actions: Pick<MarkActions, "changeTags">;
  readonly onClose: () => void;
}): ReactElement {
  const { server, ids, actions, onClose } = props;
  const tags = useTagsOf(server, ids);
  return (
    <Dialog title={strings.marks.tagsOf(ids.length)} onClose={onClose}>
      <TagField server={server} onAdd={(tag) => actions.changeTags(ids, { addTags: [tag] })} />
      {tags.length > 0 && (
        <div className={clsx(layout.row, layout.wrap)} role="group" aria-label={strings.marks.tags}>
          {tags.map(({ tag, count }) => (
            <span key={tag} className={chipStyles.chip}>
              <span className={layout.clip}>{tag}</span>
              {count !== null && count < ids.length && (
                <span className={layout.faint}>{strings.marks.tagged(count, ids.length)}</span>
              )}
              <button
                type="button"
                aria-label={strings.marks.removeTag(tag)}
                onClick={() => actions.changeTags(ids, { removeTags: [tag] })}
              >
                <X size={13} aria-hidden />
              </button>
            </span>
          ))}
        </div>
      )}
    </Dialog>
  );
}

interface TagOfSome {
  readonly tag: string;
  /** Number of the messages that have it; null where that is not known. */
  readonly count: number | null;
}

/** Returns the tags of messages; those of the server where the page does not know the tags of all of them. */
function useTagsOf(server: string, ids: readonly string[]): readonly TagOfSome[] {
  const marksOf = useMarks();
  const { data: all = [] } = useTags(server);
  const counts = new Map<string, number>();
  for (const id of ids) {
    const marks = marksOf(id);
    if (marks === undefined) return all.map(({ tag }) => ({ tag, count: null }));
    for (const tag of marks.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return Array.from(counts, ([tag, count]) => ({ tag, count })).toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
}
