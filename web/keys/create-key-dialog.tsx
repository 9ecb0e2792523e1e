import { useState, type ReactElement } from "react";
import { useCreateKey } from "../api/keys.ts";
import { useServers } from "../api/servers.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { KeyRequest } from "../wire.ts";
import { SecretDialog } from "../shared/secret-dialog.tsx";

const dayMs = 24 * 3_600_000;
const expiryDays: Readonly<Record<string, number>> = { day: 1, month: 30, quarter: 90, year: 365 };

/** Dialog that creates a key, for `server` or, with null, for the server that is selected first, and shows its secret once. */
export function CreateKeyDialog(props: { readonly server: string | null; readonly onClose: () => void }): ReactElement {
  const { server, onClose } = props;
  const create = useCreateKey();
  return (
    <SecretDialog
      title={pageStrings.keys.create}
      lead={pageStrings.keys.shownOnce}
      name={strings.signIn.key}
      secret={create.data?.key}
      onClose={onClose}
    >
      {create.data === undefined && (
        <KeyForm server={server} error={create.error} isPending={create.isPending} onSubmit={create.mutate} />
      )}
    </SecretDialog>
  );
}

type KeyDraft = Readonly<Record<"server" | "name" | "scope" | "expiry" | "networks" | "rate", string>>;

const emptyDraft: KeyDraft = { server: "", name: "", scope: "full", expiry: "never", networks: "", rate: "" };

function KeyForm(props: {
  readonly server: string | null;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (request: KeyRequest) => void;
}): ReactElement {
  const { server, error, isPending, onSubmit } = props;
  const [draft, setDraft] = useState({ ...emptyDraft, server: server ?? "" });
  const labels = pageStrings.keys;
  const set = (name: keyof KeyDraft) => (value: string) => {
    setDraft({ ...draft, [name]: value });
  };
  const input = (
    name: keyof KeyDraft,
  ): { value: string; onChange: (event: { target: { value: string } }) => void } => ({
    value: draft[name],
    onChange: (event) => {
      set(name)(event.target.value);
    },
  });
  return (
    <Form
      className={layout.stack}
      onSubmit={() => {
        onSubmit(requestOf(draft));
      }}
    >
      {server === null && <ServerField value={draft.server} onChange={set("server")} />}
      <Field label={labels.name} maxLength={200} {...input("name")} />
      <SelectField
        label={labels.scope}
        value={draft.scope}
        options={Object.entries(labels.scopeHints)}
        onChange={set("scope")}
      />
      <SelectField
        label={labels.expiry}
        value={draft.expiry}
        options={Object.entries(labels.expiries)}
        onChange={set("expiry")}
      />
      <Field label={labels.networks} placeholder={labels.networksHint} {...input("networks")} />
      <Field
        label={labels.requestsPerMinute}
        type="number"
        min={1}
        max={1_000_000}
        placeholder={labels.requestsHint}
        {...input("rate")}
      />
      {error !== null && <ErrorNotice error={error} />}
      <div className={layout.row}>
        <Button variant="primary" type="submit" disabled={isPending}>
          {labels.submit}
        </Button>
      </div>
    </Form>
  );
}

/** The server that a key gives access to; "" for all. */
function ServerField(props: { readonly value: string; readonly onChange: (id: string) => void }): ReactElement {
  const { data: servers = [] } = useServers();
  const options = servers.map(({ id, name }): [string, string] => [id, name]);
  return (
    <SelectField label={pageStrings.keys.server} options={[["", pageStrings.keys.whole], ...options]} {...props} />
  );
}

function requestOf(draft: KeyDraft): KeyRequest {
  const networks = draft.networks.split(/[\s,]+/).filter((network) => network !== "");
  const days = expiryDays[draft.expiry];
  return {
    name: draft.name,
    ...(draft.server !== "" && { server: draft.server }),
    scope: draft.scope === "read" || draft.scope === "send" ? draft.scope : "full",
    ...(days !== undefined && { expires: new Date(Date.now() + days * dayMs).toISOString() }),
    ...(networks.length > 0 && { networks }),
    ...(draft.rate !== "" && { requestsPerMinute: Number(draft.rate) }),
  };
}
