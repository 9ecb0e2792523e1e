import { useState, type ReactElement } from "react";
import { useVerifiedAddresses } from "../api/sending-permissions.ts";
import { useCompose } from "../api/sending.ts";
import { useServers } from "../api/servers.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { formatMailQuery, allReceived } from "../navigation/mail-query.ts";
import { routePath } from "../navigation/place.ts";
import { Field, Segments } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { showToast } from "../shared/toast.tsx";
import { Form } from "../shared/form.tsx";
import { strings } from "../strings.ts";
import type { EmailFields, Message, Session } from "../wire.ts";
import { ContentEditor } from "./content-editor.tsx";
import { contentOf, emptyDraft } from "./draft.ts";

/** What becomes of the mail: it leaves, or it is put into the server. */
type Destination = "send" | "put";

interface HeaderFields {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
}

const emptyHeaders: HeaderFields = { from: "", to: "", cc: "", subject: "" };
const suggestionsId = "recipients";

/** A new mail, from an address of the server. */
export function ComposePage({ session, server }: { readonly session: Session; readonly server: string }): ReactElement {
  const [way, setWay] = useState<Destination>("send");
  const [heads, setHeads] = useState(emptyHeaders);
  const [draft, setDraft] = useState(emptyDraft);
  const { mutate, error, isPending } = useCompose(server);
  const words = strings.compose;
  const domain = `${server}.${session.mailDomain}`;
  const submit = async (): Promise<void> => {
    const content = await contentOf(draft);
    mutate(fieldsOf(way, { ...heads, domain }, content), {
      onSuccess: (message) => {
        show(server, way, message);
      },
    });
  };
  return (
    <main className="page" id="content">
      <Form className="page-inner compose" onSubmit={() => void submit()}>
        <div className="stack tight">
          <h1>{words.title}</h1>
          <p className="soft">{words.lead}</p>
        </div>
        <section className="panel stack">
          <Recipients session={session} domain={domain} heads={heads} onChange={setHeads} isRequired={way === "send"} />
          <ContentEditor draft={draft} onChange={setDraft} rows={9} hasFiles />
        </section>
        <section className="stack tight">
          <Segments
            label={words.way}
            value={way}
            options={[
              ["send", words.ways.send],
              ["put", words.ways.put],
            ]}
            onChange={setWay}
          />
          <p className="faint">{words.wayHints[way]}</p>
          {error !== null && <ErrorNotice error={error} />}
          <div className="row">
            <button type="submit" className="button primary" disabled={isPending}>
              {words.submit[way]}
            </button>
            <Link className="button" href={routePath({ kind: "mail", server, message: null, tab: null })}>
              {strings.cancel}
            </Link>
            <span className="faint small wide-tools">{words.shortcut}</span>
          </div>
        </section>
      </Form>
    </main>
  );
}

function Recipients(props: {
  readonly session: Session;
  readonly domain: string;
  readonly heads: HeaderFields;
  readonly onChange: (heads: HeaderFields) => void;
  readonly isRequired: boolean;
}): ReactElement {
  const { session, domain, heads, onChange, isRequired } = props;
  const words = strings.compose;
  const field = (
    name: keyof HeaderFields,
  ): { value: string; onChange: (event: { target: { value: string } }) => void } => ({
    value: heads[name],
    onChange: (event) => {
      onChange({ ...heads, [name]: event.target.value });
    },
  });
  return (
    <div className="heads">
      <div className="row ends">
        <Field label={words.from} placeholder={words.fromHint} {...field("from")} />
        <code className="faint domain-part">@{domain}</code>
      </div>
      <Field label={strings.answer.to} type="email" required={isRequired} list={suggestionsId} {...field("to")} />
      <Field label={strings.answer.cc} type="email" list={suggestionsId} {...field("cc")} />
      <Field label={words.subject} {...field("subject")} />
      <Suggestions session={session} />
    </div>
  );
}

/** Whom mail may go to, as far as that is known. */
function Suggestions({ session }: { readonly session: Session }): ReactElement {
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
  way: Destination,
  heads: HeaderFields & { readonly domain: string },
  content: EmailFields,
): EmailFields {
  const { from, to, cc, subject, domain } = heads;
  return {
    ...content,
    ...(from !== "" && { from: `${from}@${domain}` }),
    ...(to !== "" && { to }),
    ...(cc !== "" && { cc }),
    ...(subject !== "" && { subject }),
    ...(way === "send" && { send: true }),
  };
}

function show(server: string, way: Destination, { id }: Message): void {
  const query = formatMailQuery({ ...allReceived, direction: way === "send" ? "Sent" : "Received" });
  navigate(routePath({ kind: "mail", server, message: id, tab: null }) + query);
  showToast({ text: strings.compose.done[way] });
}
