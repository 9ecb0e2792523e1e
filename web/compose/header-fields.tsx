import { clsx } from "clsx";
import { useEffect, useRef, type ReactElement } from "react";
import { useVerifiedAddresses } from "../api/sending-permissions.ts";
import { useServers } from "../api/servers.ts";
import { Field, fieldsOf } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import styles from "./compose.module.css";

/** Header fields of a new email as they were typed. */
export interface HeaderFields {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
}

/** Header fields that are all empty. */
export const emptyHeaders: HeaderFields = { from: "", to: "", cc: "", subject: "" };
const suggestionsId = "recipients";

/** Fields for sender, recipients and subject; the recipient has the focus at first. */
export function Headers(props: {
  readonly session: Session;
  readonly domain: string;
  readonly headers: HeaderFields;
  readonly onChange: (headers: HeaderFields) => void;
  /** Whether a recipient is required. */
  readonly isRequired: boolean;
}): ReactElement {
  const { session, domain, headers, onChange, isRequired } = props;
  const labels = strings.compose;
  const field = fieldsOf(headers, onChange);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>("input[type=email]")?.focus();
  }, []);
  return (
    <div ref={ref} className={styles.headers}>
      <div className={clsx(layout.row, layout.ends)}>
        <Field label={labels.from} placeholder={labels.fromHint} {...field("from")} />
        <code className={clsx(layout.faint, styles.domainPart)}>@{domain}</code>
      </div>
      <Field label={pageStrings.reply.to} type="email" required={isRequired} list={suggestionsId} {...field("to")} />
      <Field label={pageStrings.reply.cc} type="email" list={suggestionsId} {...field("cc")} />
      <Field label={labels.subject} {...field("subject")} />
      <RecipientSuggestions session={session} />
    </div>
  );
}

/** Verified addresses and an address of each server. */
function RecipientSuggestions({ session }: { readonly session: Session }): ReactElement {
  const { data: addresses } = useVerifiedAddresses(session.isAccount);
  const { data: servers } = useServers();
  return (
    <datalist id={suggestionsId}>
      {addresses
        ?.filter(({ status }) => status === "Verified")
        .map(({ id, address }) => (
          <option key={id}>{address}</option>
        ))}
      {servers?.map(({ id, name }) => (
        <option key={id} value={`inbox@${id}.${session.mailDomain}`}>
          {name}
        </option>
      ))}
    </datalist>
  );
}
