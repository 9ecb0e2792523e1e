import { clsx } from "clsx";
import { X } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useMatches } from "../api/tagging.ts";
import { Link } from "../navigation/location.tsx";
import { allReceived, formatMailQuery } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field } from "../shared/field.tsx";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";

/** Values of the fields of a rule. */
export interface RuleDraft {
  readonly key: string;
  readonly q: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** Fields of a rule, and on request the messages that its query finds now. */
export function TagRuleFields(props: {
  readonly server: string;
  readonly rule: RuleDraft;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onRemove: () => void;
}): ReactElement {
  const { server, rule, onChange, onRemove } = props;
  const [previewed, setPreviewed] = useState("");
  const labels = pageStrings.tagging;
  return (
    <li className={clsx(layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <div className={layout.grow}>
          <Field
            label={labels.query}
            required
            pattern=".*\S.*"
            placeholder={labels.queryHint}
            value={rule.q}
            onChange={(event) => {
              onChange({ ...rule, q: event.target.value });
            }}
          />
        </div>
        <Field
          label={labels.tags}
          required
          pattern=".*[^\s,].*"
          placeholder={labels.tagsHint}
          value={rule.tags}
          onChange={(event) => {
            onChange({ ...rule, tags: event.target.value });
          }}
        />
        <Button
          disabled={rule.q.trim() === ""}
          onClick={() => {
            setPreviewed(rule.q.trim());
          }}
        >
          {labels.preview}
        </Button>
        <IconButton name={labels.remove(rule.q)} icon={X} onClick={onRemove} />
      </div>
      {previewed !== "" && <Preview server={server} q={previewed} />}
    </li>
  );
}

function Preview({ server, q }: { readonly server: string; readonly q: string }): ReactElement {
  const { data, error } = useMatches(server, q);
  const labels = pageStrings.tagging;
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  const { messages, hasMore } = data;
  return (
    <div className={clsx(layout.stack, layout.tight, layout.small)} role="status">
      <p className={layout.faint}>{messages.length === 0 ? labels.noMatches : labels.matches(q)}</p>
      <ul>
        {messages.map(({ id, subject }) => (
          <li key={id} className={layout.clip}>
            {subject === "" ? strings.list.noSubject : subject}
          </li>
        ))}
      </ul>
      {hasMore && <Link href={inboxPath(server) + formatMailQuery({ ...allReceived, q })}>{labels.showAll}</Link>}
    </div>
  );
}
