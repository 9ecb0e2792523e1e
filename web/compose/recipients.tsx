import { clsx } from "clsx";
import { type ReactElement, useEffect, useRef } from "react";
import { useAddAddress, useVerifiedAddresses } from "../api/sending.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { Field, fieldsOf } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import styles from "./compose.module.css";

/** Notices about recipients that are not verified, each with a button that sends a verification, or else the rule. */
export function RecipientNotices({ addresses }: { readonly addresses: readonly string[] }): ReactElement {
  const { data: session } = useSession();
  const isAccount = session?.isAccount === true;
  const { data: known } = useVerifiedAddresses(isAccount);
  const unverified = (isAccount && known !== undefined ? addresses : [])
    .map((address) => address.trim().toLowerCase())
    .filter((address) => isAddress(address) && !address.endsWith(`.${session?.mailDomain ?? ""}`))
    .filter(
      (address) => known?.some((one) => one.status === "Verified" && one.address.toLowerCase() === address) !== true,
    );
  if (unverified.length === 0) return <p className={clsx(layout.faint, layout.small)}>{pageStrings.reply.verified}</p>;
  return (
    <>
      {unverified.map((address) => (
        <Notice
          key={address}
          address={address}
          isPending={known?.some((one) => one.address.toLowerCase() === address) === true}
        />
      ))}
    </>
  );
}

function Notice({ address, isPending }: { readonly address: string; readonly isPending: boolean }): ReactElement {
  const { mutate, error, isPending: isSending } = useAddAddress();
  const labels = pageStrings.recipient;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <div className={clsx(layout.row, layout.wrap)} role="status">
        <span className={layout.soft}>{isPending ? labels.pending(address) : labels.unverified(address)}</span>
        {isPending ? (
          <Link href="/addresses">{labels.enter}</Link>
        ) : (
          <Button disabled={isSending} onClick={() => mutate(address)}>
            {pageStrings.addresses.add}
          </Button>
        )}
      </div>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

function isAddress(text: string): boolean {
  return /^[^\s@,]+@[^\s@,]+\.[^\s@,.]{2,}$/.test(text);
}

const labels = strings.compose;

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
