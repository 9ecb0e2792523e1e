import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useCompose } from "../api/sending.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { allReceived, formatMailQuery } from "../navigation/mail-query.ts";
import { inboxPath, routePath } from "../navigation/routes.ts";
import { Button, buttonClass } from "../shared/button.tsx";
import { optionsOf, Segments } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import pageStyles from "../shared/page.module.css";
import { PageFrame, Panel } from "../shared/page.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { EmailFields, Message, Session } from "../wire.ts";
import styles from "./compose.module.css";
import { ContentEditor } from "./content-editor.tsx";
import { contentOf, type Draft, emptyDraft, useSavedDraft } from "./draft.ts";
import { emptyHeaders, type HeaderFields, Headers, RecipientNotices } from "./recipients.tsx";

const labels = strings.compose;

/** Whether the email is sent or added to the server as if it had been received. */
type Destination = "send" | "inbox";

interface ComposeForm {
  readonly destination: Destination;
  readonly headers: HeaderFields;
  readonly draft: Draft;
}

const emptyForm: ComposeForm = { destination: "send", headers: emptyHeaders, draft: emptyDraft };

/** Form for a new email from an address of the server. */
export function ComposePage({ session, server }: { readonly session: Session; readonly server: string }): ReactElement {
  const [form, change, remove] = useSavedDraft(`compose ${server}`, emptyForm);
  const { destination, headers, draft } = form;
  const { mutate, error, isPending } = useCompose(server);
  const domain = `${server}.${session.mailDomain}`;
  const submit = async (): Promise<void> => {
    const content = await contentOf(draft);
    mutate(requestOf(destination, { ...headers, domain }, content), {
      onSuccess: (message) => {
        remove();
        openCreated(server, destination, message);
      },
    });
  };
  return (
    <PageFrame>
      <Form className={clsx(pageStyles.pageInner, styles.compose)} onSubmit={() => void submit()}>
        <h1>{labels.title}</h1>
        <EmailForm session={session} domain={domain} form={form} onChange={change} />
        <section className={clsx(layout.stack, layout.tight)}>
          <DestinationChoice destination={destination} onChange={(changed) => change({ destination: changed })} />
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

function EmailForm(props: {
  readonly session: Session;
  readonly domain: string;
  readonly form: ComposeForm;
  readonly onChange: (change: Partial<ComposeForm>) => void;
}): ReactElement {
  const { session, domain, form, onChange } = props;
  const { destination, headers, draft } = form;
  return (
    <Panel className={layout.stack}>
      <Headers
        session={session}
        domain={domain}
        headers={headers}
        onChange={(changed) => onChange({ headers: changed })}
        isRequired={destination === "send"}
      />
      {destination === "send" && <RecipientNotices addresses={[headers.to, headers.cc]} />}
      <ContentEditor draft={draft} onChange={(changed) => onChange({ draft: changed })} rows={9} hasFiles />
    </Panel>
  );
}

function DestinationChoice(props: {
  readonly destination: Destination;
  readonly onChange: (destination: Destination) => void;
}): ReactElement {
  const { destination, onChange } = props;
  return (
    <>
      <Segments
        label={labels.destination}
        value={destination}
        options={optionsOf<Destination>(labels.destinations)}
        onChange={onChange}
      />
      {destination === "inbox" && <p className={layout.faint}>{labels.inboxHint}</p>}
    </>
  );
}

function requestOf(
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
