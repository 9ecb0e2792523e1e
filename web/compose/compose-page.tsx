import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useVerifiedAddresses } from "../api/sending-permissions.ts";
import { useCompose } from "../api/sending.ts";
import { useServers } from "../api/servers.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { allReceived, formatMailQuery } from "../navigation/mail-query.ts";
import { inboxPath, routePath } from "../navigation/routes.ts";
import { Button, buttonClass } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Field, Segments } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { PageFrame, Panel } from "../shared/page.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { EmailFields, Message, Session } from "../wire.ts";
import styles from "./compose.module.css";
import { ContentEditor } from "./content-editor.tsx";
import { contentOf, emptyDraft } from "./draft.ts";

/** Whether the email is sent or added to the server as if it had been received. */
type Destination = "send" | "inbox";

interface HeaderFields {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
}

const emptyHeaders: HeaderFields = { from: "", to: "", cc: "", subject: "" };
const suggestionsId = "recipients";

/** Form for a new email from an address of the server. */
export function ComposePage({ session, server }: { readonly session: Session; readonly server: string }): ReactElement {
  const [destination, setDestination] = useState<Destination>("send");
  const [headers, setHeaders] = useState(emptyHeaders);
  const [draft, setDraft] = useState(emptyDraft);
  const { mutate, error, isPending } = useCompose(server);
  const labels = strings.compose;
  const domain = `${server}.${session.mailDomain}`;
  const submit = async (): Promise<void> => {
    const content = await contentOf(draft);
    mutate(fieldsOf(destination, { ...headers, domain }, content), {
      onSuccess: (message) => {
        openCreated(server, destination, message);
      },
    });
  };
  return (
    <PageFrame>
      <Form className={clsx(pageStyles.pageInner, styles.compose)} onSubmit={() => void submit()}>
        <div className={clsx(layout.stack, layout.tight)}>
          <h1>{labels.title}</h1>
          <p className={layout.soft}>{labels.lead}</p>
        </div>
        <Panel className={layout.stack}>
          <Headers
            session={session}
            domain={domain}
            headers={headers}
            onChange={setHeaders}
            isRequired={destination === "send"}
          />
          <ContentEditor draft={draft} onChange={setDraft} rows={9} hasFiles />
        </Panel>
        <section className={clsx(layout.stack, layout.tight)}>
          <Segments
            label={labels.destination}
            value={destination}
            options={[
              ["send", labels.destinations.send],
              ["inbox", labels.destinations.inbox],
            ]}
            onChange={setDestination}
          />
          <p className={layout.faint}>{labels.destinationHints[destination]}</p>
          {error !== null && <ErrorNotice error={error} />}
          <div className={layout.row}>
            <Button variant="primary" type="submit" disabled={isPending}>
              {labels.submit[destination]}
            </Button>
            <Link className={buttonClass()} href={inboxPath(server)}>
              {strings.cancel}
            </Link>
            <span className={clsx(layout.faint, layout.small, layout.wideOnly)}>{labels.shortcut}</span>
          </div>
        </section>
      </Form>
    </PageFrame>
  );
}

function Headers(props: {
  readonly session: Session;
  readonly domain: string;
  readonly headers: HeaderFields;
  readonly onChange: (headers: HeaderFields) => void;
  /** Whether a recipient is required. */
  readonly isRequired: boolean;
}): ReactElement {
  const { session, domain, headers, onChange, isRequired } = props;
  const labels = strings.compose;
  const field = (
    name: keyof HeaderFields,
  ): { value: string; onChange: (event: { target: { value: string } }) => void } => ({
    value: headers[name],
    onChange: (event) => {
      onChange({ ...headers, [name]: event.target.value });
    },
  });
  return (
    <div className={styles.headers}>
      <div className={clsx(layout.row, layout.ends)}>
        <Field label={labels.from} placeholder={labels.fromHint} {...field("from")} />
        <code className={clsx(layout.faint, styles.domainPart)}>@{domain}</code>
      </div>
      <Field label={strings.reply.to} type="email" required={isRequired} list={suggestionsId} {...field("to")} />
      <Field label={strings.reply.cc} type="email" list={suggestionsId} {...field("cc")} />
      <Field label={labels.subject} {...field("subject")} />
      <RecipientSuggestions session={session} />
    </div>
  );
}

/** Verified addresses and an address of each server. */
function RecipientSuggestions({ session }: { readonly session: Session }): ReactElement {
  const { data: addresses } = useVerifiedAddresses(session.server === null);
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

function fieldsOf(
  destination: Destination,
  headers: HeaderFields & { readonly domain: string },
  content: EmailFields,
): EmailFields {
  const { from, to, cc, subject, domain } = headers;
  return {
    ...content,
    ...(from !== "" && { from: `${from}@${domain}` }),
    ...(to !== "" && { to }),
    ...(cc !== "" && { cc }),
    ...(subject !== "" && { subject }),
    ...(destination === "send" && { send: true }),
  };
}

function openCreated(server: string, destination: Destination, { id }: Message): void {
  const query = formatMailQuery({ ...allReceived, direction: destination === "send" ? "Sent" : "Received" });
  navigate(routePath({ kind: "mail", server, message: id, tab: null }) + query);
  showToast({ text: strings.compose.done[destination] });
}
