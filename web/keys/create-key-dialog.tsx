import { useState, type ReactElement } from "react";
import { useCreateKey } from "../api/credentials.ts";
import { useOwningTeams } from "../api/people.ts";
import { usePermissions } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import { Field, fieldsOf, SelectField } from "../shared/field.tsx";
import { FormContent, type RequestState } from "../shared/form.tsx";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { KeyRequest } from "../wire.ts";
import { SecretDialog } from "../shared/secret-dialog.tsx";

const labels = pageStrings.keys;

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
        <KeyForm server={server} request={create} onSubmit={create.mutate} onClose={onClose} />
      )}
    </SecretDialog>
  );
}

type KeyDraft = Readonly<Record<"server" | "team" | "name" | "scope" | "expiry" | "networks" | "rate", string>>;

const emptyDraft: KeyDraft = { server: "", team: "", name: "", scope: "full", expiry: "never", networks: "", rate: "" };

function KeyForm(props: {
  readonly server: string | null;
  readonly request: RequestState;
  readonly onSubmit: (request: KeyRequest) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { server, request, onSubmit, onClose } = props;
  const [draft, setDraft] = useState({ ...emptyDraft, server: server ?? "" });
  const field = fieldsOf(draft, setDraft);
  return (
    <FormContent label={labels.submit} request={request} onSubmit={() => onSubmit(requestOf(draft))} onClose={onClose}>
      {server === null && <ServerField {...field("server")} />}
      <OwnerField isWhole={draft.server === ""} {...field("team")} />
      <Field label={labels.name} maxLength={200} {...field("name")} />
      <SelectField label={labels.scope} options={Object.entries(labels.scopeHints)} {...field("scope")} />
      <SelectField label={labels.expiry} options={Object.entries(labels.expiries)} {...field("expiry")} />
      <Field label={labels.networks} placeholder={labels.networksHint} {...field("networks")} />
      <Field
        label={labels.requestsPerMinute}
        type="number"
        min={1}
        max={1_000_000}
        placeholder={labels.requestsHint}
        {...field("rate")}
      />
    </FormContent>
  );
}

/** The server that a key gives access to; "" for all. */
function ServerField(props: { readonly value: string; readonly onChange: (id: string) => void }): ReactElement {
  const { data: servers = [] } = useServers();
  const { isAccount } = usePermissions();
  const options = servers.map(({ id, name }): [string, string] => [id, name]);
  const whole = isAccount ? pageStrings.keys.whole : pageStrings.keys.wholeOfUser;
  return <SelectField label={pageStrings.keys.server} options={[["", whole], ...options]} {...props} />;
}

/** The team that owns a key; "" for none, or for the user that creates it, as for a key of all servers that an owner creates. */
function OwnerField({
  isWhole,
  ...props
}: {
  readonly isWhole: boolean;
  readonly value: string;
  readonly onChange: (id: string) => void;
}): ReactElement | null {
  const teams = useOwningTeams();
  const { isAccount } = usePermissions();
  const { data: session } = useSession();
  if (teams.length === 0) return null;
  const options = teams.map(({ id, name }): [string, string] => [id, labels.teamOwned(name)]);
  const isOfUser = !isAccount || (isWhole && session?.user != null);
  const none = isOfUser ? labels.userOwned : labels.accountOwned;
  return <SelectField label={labels.ownerHint} options={[["", none], ...options]} {...props} />;
}

function requestOf(draft: KeyDraft): KeyRequest {
  const networks = draft.networks.split(/[\s,]+/).filter((network) => network !== "");
  const days = expiryDays[draft.expiry];
  return {
    name: draft.name,
    ...(draft.server !== "" && { server: draft.server }),
    ...(draft.team !== "" && { team: draft.team }),
    scope: draft.scope === "read" || draft.scope === "send" ? draft.scope : "full",
    ...(days !== undefined && { expires: new Date(Date.now() + days * dayMs).toISOString() }),
    ...(networks.length > 0 && { networks }),
    ...(draft.rate !== "" && { requestsPerMinute: Number(draft.rate) }),
  };
}
