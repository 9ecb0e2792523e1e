import type { ReactElement } from "react";
import { addressOf, formatContact } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Contact, Summary } from "../wire.ts";
import styles from "./list.module.css";

/** Sender and first recipient of a row; the addresses as a whole are in {@link peopleTitle}. */
export function RowPeople(props: {
  readonly message: Summary;
  /** Domain that all recipients of the list have, which is not repeated; "" for none. */
  readonly sharedDomain: string;
}): ReactElement {
  const { message, sharedDomain } = props;
  const [sender] = message.from;
  const [first, ...others] = recipientsOf(message);
  return (
    <span className={styles.people} aria-hidden>
      <span className={layout.clip} data-field="from">
        {sender === undefined ? <i className={styles.domain}>{strings.rows.noSender}</i> : <Sender contact={sender} />}
      </span>
      <span className={styles.arrow}>→</span>
      <span className={layout.clip}>
        {first === undefined ? (
          <i className={styles.domain}>{strings.list.noRecipient}</i>
        ) : (
          <span data-field="to">
            <Address address={addressOf(first)} hiddenDomain={sharedDomain} />
          </span>
        )}
        {others.length > 0 && <span className={styles.domain}> {strings.list.moreRecipients(others.length)}</span>}
      </span>
    </span>
  );
}

/** Returns sender and recipients with their whole addresses. */
export function peopleTitle(message: Summary): string {
  const names = (contacts: readonly Contact[]): string => contacts.map(formatContact).join(", ");
  return strings.rows.people(
    names(message.from) || strings.rows.noSender,
    names(recipientsOf(message)) || strings.list.noRecipient,
  );
}

/** Returns the recipients of all fields of a message. */
export function recipientsOf({ to, cc, bcc }: Pick<Summary, "to" | "cc" | "bcc">): readonly Contact[] {
  return [...to, ...cc, ...bcc];
}

/** Returns the domain, with its @, of the first recipients of all messages; "" when they have several or none. */
export function sharedDomainOf(messages: Iterable<Summary>): string {
  let shared: string | undefined;
  for (const message of messages) {
    const [first] = recipientsOf(message);
    if (first?.email == null) continue;
    const domain = domainOf(first.email);
    if (shared !== undefined && shared !== domain) return "";
    shared = domain;
  }
  return shared ?? "";
}

function Sender({ contact }: { readonly contact: Contact }): ReactElement {
  return contact.name === "" ? <Address address={addressOf(contact)} hiddenDomain="" /> : <span>{contact.name}</span>;
}

function Address({ address, hiddenDomain }: { readonly address: string; readonly hiddenDomain: string }): ReactElement {
  const domain = domainOf(address);
  return (
    <>
      <span>{address.slice(0, address.length - domain.length)}</span>
      {domain !== hiddenDomain && <span className={styles.domain}>{domain}</span>}
    </>
  );
}

/** Returns the domain of an address with its @; "" for a number. */
function domainOf(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? "" : address.slice(at);
}
