import { clsx } from "clsx";
import { Plus, X } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useSetTagging, useTagging, useMatches } from "../api/server-settings.ts";
import { Link } from "../navigation/location.tsx";
import { allReceived, formatMailQuery } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";
import { Button, IconButton } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { CheckField, Field, fieldsOf } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Tagging } from "../wire.ts";
import { confirmed, SettingsSection } from "./settings-section.tsx";

const labels = pageStrings.tagging;

/** Form for the tags that a server adds to messages when they arrive. */
export function TaggingForm({ server }: { readonly server: string }): ReactElement {
  const { data: tagging, error } = useTagging(server);
  return (
    <SettingsSection title={labels.title} lead={labels.lead} error={error}>
      {tagging !== undefined && <Fields key={JSON.stringify(tagging)} server={server} tagging={tagging} />}
    </SettingsSection>
  );
}

function Fields({ server, tagging }: { readonly server: string; readonly tagging: Tagging }): ReactElement {
  const [plusAddresses, setPlusAddresses] = useState(tagging.plusAddresses);
  const [rules, setRules] = useState(() => draftsOf(tagging));
  const { mutate, error, isPending } = useSetTagging(server);
  const submit = (): void => {
    const body = { plusAddresses, rules: rules.map(({ q, tags }) => ({ q: q.trim(), tags: tagsOf(tags) })) };
    mutate(body, confirmed);
  };
  return (
    <Form className={layout.stack} onSubmit={submit}>
      <CheckField label={labels.plusAddresses} value={plusAddresses} onChange={setPlusAddresses} />
      {rules.length > 0 && (
        <ul className={layout.stack} aria-label={labels.rules}>
          {rules.map((rule) => (
            <TagRuleFields
              key={rule.key}
              server={server}
              rule={rule}
              onChange={(changed) => setRules(rules.map((one) => (one === rule ? changed : one)))}
              onRemove={() => setRules(rules.filter((one) => one !== rule))}
            />
          ))}
        </ul>
      )}
      {error !== null && <ErrorNotice error={error} />}
      <div className={clsx(layout.row, layout.wrap)}>
        <Button
          onClick={() =>
            setRules([...rules, { key: crypto.getRandomValues(new Uint32Array(1)).join(), q: "", tags: "" }])
          }
        >
          <Plus size={15} aria-hidden />
          {labels.add}
        </Button>
        <Button type="submit" disabled={isPending}>
          {pageStrings.settings.save}
        </Button>
      </div>
    </Form>
  );
}

function draftsOf({ rules }: Tagging): readonly RuleDraft[] {
  return rules.map(({ q, tags }, at) => ({ key: String(at), q, tags: tags.join(", ") }));
}

function tagsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Values of the fields of a rule. */
interface RuleDraft {
  readonly key: string;
  readonly q: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** Fields of a rule, and on request the messages that its query finds now. */
function TagRuleFields(props: {
  readonly server: string;
  readonly rule: RuleDraft;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onRemove: () => void;
}): ReactElement {
  const { server, rule, onChange, onRemove } = props;
  const field = fieldsOf(rule, onChange);
  const [previewed, setPreviewed] = useState("");
  return (
    <li className={clsx(layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <div className={layout.grow}>
          <Field label={labels.query} required pattern=".*\S.*" placeholder={labels.queryHint} {...field("q")} />
        </div>
        <Field label={labels.tags} required pattern=".*[^\s,].*" placeholder={labels.tagsHint} {...field("tags")} />
        <Button disabled={rule.q.trim() === ""} onClick={() => setPreviewed(rule.q.trim())}>
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
