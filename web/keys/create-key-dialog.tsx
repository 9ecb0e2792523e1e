import { useState, type ReactElement } from "react";
import { useCreateKey } from "../api/keys.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { KeyRequest } from "../wire.ts";
import { NewSecret } from "./new-secret.tsx";

const dayMs = 24 * 3_600_000;
const expiryDays: Readonly<Record<string, number>> = { day: 1, month: 30, quarter: 90, year: 365 };

/** Asks for a key's name and limits, makes it, and shows it this once. */
export function CreateKeyDialog(props: { readonly server: string | null; readonly onClose: () => void }): ReactElement {
  const { server, onClose } = props;
  const create = useCreateKey(server);
  return (
    <Dialog title={strings.keys.create} onClose={onClose}>
      {create.data === undefined ? (
        <KeyForm error={create.error} isPending={create.isPending} onSubmit={create.mutate} />
      ) : (
        <NewSecret secret={create.data.key} onClose={onClose} />
      )}
    </Dialog>
  );
}

function KeyForm(props: {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (request: KeyRequest) => void;
}): ReactElement {
  const words = strings.keys;
  const { error, isPending, onSubmit } = props;
  const [name, setName] = useState("");
  const [scope, setScope] = useState("full");
  const [expiry, setExpiry] = useState("never");
  const [networks, setNetworks] = useState("");
  const [rate, setRate] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(requestOf({ name, scope, expiry, networks, rate }));
      }}
    >
      <Field
        label={words.name}
        maxLength={200}
        value={name}
        onChange={(event) => {
          setName(event.target.value);
        }}
      />
      <SelectField label={words.scope} value={scope} options={Object.entries(words.scopeHints)} onChange={setScope} />
      <SelectField label={words.expiry} value={expiry} options={Object.entries(words.expiries)} onChange={setExpiry} />
      <Field
        label={words.networks}
        placeholder={words.networksHint}
        value={networks}
        onChange={(event) => {
          setNetworks(event.target.value);
        }}
      />
      <Field
        label={words.requestsPerMinute}
        type="number"
        min={1}
        max={1_000_000}
        placeholder={words.requestsHint}
        value={rate}
        onChange={(event) => {
          setRate(event.target.value);
        }}
      />
      {error !== null && <ErrorNotice error={error} />}
      <div className="row">
        <button type="submit" className="button primary" disabled={isPending}>
          {words.submit}
        </button>
      </div>
    </form>
  );
}

function requestOf(form: Readonly<Record<"name" | "scope" | "expiry" | "networks" | "rate", string>>): KeyRequest {
  const networks = form.networks.split(/[\s,]+/).filter((network) => network !== "");
  const days = expiryDays[form.expiry];
  return {
    name: form.name,
    scope: form.scope === "read" || form.scope === "send" ? form.scope : "full",
    ...(days !== undefined && { expires: new Date(Date.now() + days * dayMs).toISOString() }),
    ...(networks.length > 0 && { networks }),
    ...(form.rate !== "" && { requestsPerMinute: Number(form.rate) }),
  };
}
