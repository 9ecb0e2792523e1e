import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useSetTagging, useTagging } from "../api/tagging.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { showToast } from "../shared/toast.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Tagging } from "../wire.ts";
import { SettingsSection } from "./settings-section.tsx";
import { TagRuleFields, type RuleDraft } from "./tag-rule-fields.tsx";

/** Form for the tags that a server adds to messages when they arrive. */
export function TaggingForm({ server }: { readonly server: string }): ReactElement {
  const { data: tagging, error } = useTagging(server);
  const labels = pageStrings.tagging;
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
  const labels = pageStrings.tagging;
  const submit = (): void => {
    const body = { plusAddresses, rules: rules.map(({ q, tags }) => ({ q: q.trim(), tags: tagsOf(tags) })) };
    mutate(body, { onSuccess: () => showToast({ text: pageStrings.settings.saved }) });
  };
  return (
    <Form className={layout.stack} onSubmit={submit}>
      <label className={layout.row}>
        <input
          type="checkbox"
          checked={plusAddresses}
          onChange={(event) => {
            setPlusAddresses(event.target.checked);
          }}
        />
        <span>{labels.plusAddresses}</span>
      </label>
      {rules.length > 0 && (
        <ul className={layout.stack} aria-label={labels.rules}>
          {rules.map((rule) => (
            <TagRuleFields
              key={rule.key}
              server={server}
              rule={rule}
              onChange={(changed) => {
                setRules(rules.map((one) => (one === rule ? changed : one)));
              }}
              onRemove={() => {
                setRules(rules.filter((one) => one !== rule));
              }}
            />
          ))}
        </ul>
      )}
      {error !== null && <ErrorNotice error={error} />}
      <div className={clsx(layout.row, layout.wrap)}>
        <Button
          onClick={() => {
            setRules([...rules, { key: crypto.getRandomValues(new Uint32Array(1)).join(), q: "", tags: "" }]);
          }}
        >
          <Plus size={15} aria-hidden />
          {labels.add}
        </Button>
        <Button type="submit" disabled={isPending}>
          {labels.save}
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
